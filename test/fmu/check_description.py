#!/usr/bin/env python3
"""check_description.py TOOL [--schemas DIR...]: modelDescription.xml of units of several models, by the rules of both versions of the standard.

What the schemas demand (elements, their order, attributes, their values), and what the text demands besides: references are unique, states have derivatives,
ModelStructure lists outputs, derivatives and what is unknown at first, all of it and nothing else, units are defined. The sources of units of generated
code are listed, a compiler takes them without a warning, and what it makes has the functions of the standard, with and without prefix. With --schemas:
instead, all built-in models against the schemas of the standard, of which folders have a copy.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

ROOT = {
    2: {"fmiVersion", "modelName", "guid", "description", "author", "version", "copyright", "license", "generationTool",
        "generationDateAndTime", "variableNamingConvention", "numberOfEventIndicators"},
    3: {"fmiVersion", "modelName", "instantiationToken", "description", "author", "version", "copyright", "license",
        "generationTool", "generationDateAndTime", "variableNamingConvention"},
}
ORDER = ["ModelExchange", "CoSimulation", "ScheduledExecution", "UnitDefinitions", "TypeDefinitions", "LogCategories",
         "DefaultExperiment", "VendorAnnotations", "ModelVariables", "ModelStructure"]
INTERFACE = {
    2: {"modelIdentifier", "needsExecutionTool", "completedIntegratorStepNotNeeded", "canBeInstantiatedOnlyOncePerProcess",
        "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative",
        "canHandleVariableCommunicationStepSize", "canInterpolateInputs", "maxOutputDerivativeOrder", "canRunAsynchronuously"},
    3: {"modelIdentifier", "needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess", "canGetAndSetFMUState",
        "canSerializeFMUState", "providesDirectionalDerivatives", "providesAdjointDerivatives", "providesPerElementDependencies",
        "canHandleVariableCommunicationStepSize", "fixedInternalStepSize", "maxOutputDerivativeOrder",
        "recommendedIntermediateInputSmoothness", "providesIntermediateUpdate", "mightReturnEarlyFromDoStep",
        "canReturnEarlyAfterIntermediateUpdate", "hasEventMode", "providesEvaluateDiscreteStates",
        "needsCompletedIntegratorStep"},
}
REQUIRED = {2: {"fmiVersion", "modelName", "guid"}, 3: {"fmiVersion", "modelName", "instantiationToken"}}
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")
OTHER_THAN_YES = {"modelIdentifier": "[A-Za-z_][A-Za-z0-9_]{0,199}", "maxOutputDerivativeOrder": "[0-9]+", "fixedInternalStepSize": NUMBER.pattern,
                  "recommendedIntermediateInputSmoothness": "-?[0-9]+"}


class Variable:
    """A variable of either version."""

    def __init__(self, element, version, place):
        real = element if version == 3 else element.find("Real")
        self.name, self.reference = element.get("name"), int(element.get("valueReference"))
        self.causality, self.variability = element.get("causality"), element.get("variability")
        self.initial, self.start = element.get("initial"), real.get("start")
        self.unit, self.limits = real.get("unit"), (real.get("min"), real.get("max"))
        self.derivative = real.get("derivative")
        self.key = self.reference if version == 3 else place + 1  # what ModelStructure and derivative refer to
        known = {"name", "valueReference", "causality", "variability", "initial", "description"}
        assert set(element.keys()) <= known | ({"unit", "min", "max", "start", "derivative"} if version == 3 else set())
        assert version == 3 or (len(element) == 1 and set(real.keys()) <= {"unit", "min", "max", "start", "derivative"})


def check_variables(root, version):
    """Combinations of causality, variability, initial and start as of the tables of the standard."""
    tag = "Float64" if version == 3 else "ScalarVariable"
    variables = [Variable(e, version, k) for k, e in enumerate(root.find("ModelVariables"))]
    assert all(e.tag == tag for e in root.find("ModelVariables"))
    assert len({v.name for v in variables}) == len({v.reference for v in variables}) == len(variables)
    units = {e.get("name") for e in root.find("UnitDefinitions")}
    for v in variables:
        assert v.unit is None or v.unit in units, v.name
        assert 0 <= v.reference < 2**32 and v.name and not re.search("[\n\r\t]", v.name), v.name
        low, high = float(v.limits[0] or "-inf"), float(v.limits[1] or "inf")
        assert low <= (float(v.start) if v.start is not None else low) <= high, v.name
        assert all(x is None or NUMBER.fullmatch(x) for x in (*v.limits, v.start)), v.name
        want = {"independent": ("continuous", None, False), "input": ("continuous", None, True),
                "parameter": ("fixed", "exact", True), "output": ("continuous", "calculated", False),
                "local": ("continuous", "calculated", False)}[v.causality]
        assert (v.variability, v.initial, v.start is not None) == want, v.name
    assert sum(v.causality == "independent" for v in variables) == 1
    return variables


def check_structure(root, version, variables):
    """All outputs, all derivatives, all that is calculated at first."""
    structure = root.find("ModelStructure")
    assert not structure.attrib
    attribute = {"valueReference"} if version == 3 else {"index"}
    assert all(set(e.keys()) == attribute and len(e) == 0 for e in (structure if version == 3 else structure.iter("Unknown")))
    if version == 3:
        lists = {tag: [int(e.get("valueReference")) for e in structure.findall(tag)]
                 for tag in ("Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator")}
        assert [e.tag for e in structure] == [tag for tag, x in lists.items() for _ in x]
    else:
        names = ("Outputs", "Derivatives", "InitialUnknowns")
        assert [e.tag for e in structure] == [n for n in names if structure.find(n) is not None]
        lists = {n: [int(e.get("index")) for e in structure.findall(n + "/Unknown")] for n in names}
    outputs, derivatives, unknown, *events = lists.values()
    indicators = [v for v in variables if re.fullmatch("z[0-9]+", v.name)]
    assert [v.key for v in indicators] == events[0] if version == 3 else int(root.get("numberOfEventIndicators")) == len(indicators)
    by_key = {v.key: v for v in variables}
    assert outputs == [v.key for v in variables if v.causality == "output"]
    assert derivatives == [v.key for v in variables if v.derivative is not None]
    states = {int(by_key[k].derivative) for k in derivatives}
    assert len(states) == len(derivatives) and all(by_key[k].derivative is None for k in states)
    assert sorted(unknown) == sorted({*outputs, *derivatives, *states})
    for key in derivatives:
        assert by_key[int(by_key[key].derivative)].causality == by_key[key].causality == "local"
    return len(states)


def check_sources(path, version, folder):
    """Sources as they are listed: one file, which a compiler takes."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    root = xml.parse(folder / "modelDescription.xml").getroot()
    identifier = root.find("CoSimulation").get("modelIdentifier")
    if version == 2:
        for interface in root.findall("ModelExchange") + root.findall("CoSimulation"):
            assert [e.tag for e in interface] == ["SourceFiles"]
            listed = [(e.tag, e.attrib) for e in interface[0]]
            assert listed == [("File", {"name": identifier + ".c"})]
    else:
        build = xml.parse(folder / "sources/buildDescription.xml").getroot()
        assert build.tag == "fmiBuildDescription" and build.attrib == {"fmiVersion": "3.0"}
        assert [(e.tag, e.attrib) for e in build] == [("BuildConfiguration", {"modelIdentifier": identifier})]
        assert [e.tag for e in build[0]] == ["SourceFileSet", "Library"] and build[0][1].get("name") == "m"
        assert set(build[0][0].keys()) <= {"name", "language", "compiler", "compilerOptions"}
        assert [e.tag for e in build[0][0]] == ["SourceFile", "PreprocessorDefinition"]
        assert build[0][0][0].attrib == {"name": identifier + ".c"}
        assert root.find("CoSimulation").get("fixedInternalStepSize") is None
    source = folder / f"sources/{identifier}.c"
    cc = [os.environ.get("CC", "cc"), "-std=c11", "-O0", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    for prefix, flags in ((identifier + "_", []), ("", [f"-DFMI{version}_OVERRIDE_FUNCTION_PREFIX"])):
        made = folder / f"made{prefix}.so"
        subprocess.run([*cc, *flags, source, "-o", made, "-lm"], check=True)
        get_version = getattr(ctypes.CDLL(str(made)), f"{prefix}fmi{version}GetVersion")
        get_version.restype = ctypes.c_char_p
        assert get_version() == b"%d.0" % version


def check(path, version, exchange):
    """One unit."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        text = archive.read("modelDescription.xml").decode()
    root = xml.fromstring(text)
    assert root.tag == "fmiModelDescription" and root.get("fmiVersion") == f"{version}.0"
    assert REQUIRED[version] <= set(root.keys()) <= ROOT[version]
    assert root.get("variableNamingConvention", "flat") in ("flat", "structured")
    tags = [e.tag for e in root]
    assert tags == sorted(tags, key=ORDER.index) and len(set(tags)) == len(tags)
    assert ("ModelExchange" in tags) == exchange and "CoSimulation" in tags
    for tag in ("ModelExchange", "CoSimulation"):
        if tag in tags:
            assert set(root.find(tag).keys()) <= INTERFACE[version]
            identifier = root.find(tag).get("modelIdentifier")
            assert all(re.fullmatch(OTHER_THAN_YES.get(k, "true|false"), x) for k, x in root.find(tag).items()), root.find(tag).attrib
            assert any(re.fullmatch(f"binaries/[a-z0-9_-]+/{identifier}\\.so", name) for name in names), names
    assert all(float(x) > 0 for k, x in root.find("DefaultExperiment").items() if k != "startTime")
    for unit in root.find("UnitDefinitions"):
        assert set(unit.keys()) == {"name"} and len(unit) <= 1 and all(b.tag == "BaseUnit" and set(b.keys()) <= {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor"} for b in unit)
        if unit.get("name") == "N/mm":
            assert unit[0].attrib == {"kg": "1", "s": "-2", "factor": "1000"}
    variables = check_variables(root, version)
    assert (check_structure(root, version, variables) > 0) == exchange


def check_schemas(tool, folders):
    """All built-in models, both versions, and the source of one, against the schemas of the standard, which are in these folders; by xmllint."""
    schema = {path.name: path for folder in folders for path in pathlib.Path(folder).rglob("fmi?*.xsd")}
    names = [line.split()[0] for line in subprocess.run([tool, "models"], check=True, capture_output=True, text=True).stdout.splitlines()]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for version in (2, 3):
            for name, code in [(name, "library") for name in names] + [("heavy_top", "generated")]:
                subprocess.run([tool, "export", name, "--fmu", folder / "unit.fmu", "--fmi", str(version), "--code", code], check=True,
                               capture_output=True)
                with zipfile.ZipFile(folder / "unit.fmu") as archive:
                    for file in archive.namelist():
                        if file.endswith("Description.xml"):
                            (folder / "file.xml").write_bytes(archive.read(file))
                            kind = pathlib.Path(file).stem
                            by = schema[f"fmi{version}{kind[0].upper()}{kind[1:]}.xsd"]
                            subprocess.run(["xmllint", "--noout", "--nonet", "--schema", by, folder / "file.xml"], check=True, stderr=subprocess.PIPE)
                            count += 1
    print(f"check_description: {count} files are valid by {len(schema)} schemas")


def main():
    """Units of models with and without inputs, parameters, contacts, events, and with names that XML needs escaped."""
    tool = sys.argv[1]
    if sys.argv[2:3] == ["--schemas"]:
        check_schemas(tool, sys.argv[3:])
        return
    crane = pathlib.Path(__file__).resolve().parents[2] / "examples/crane/crane.json"
    with tempfile.TemporaryDirectory() as folder:
        odd = pathlib.Path(folder) / "odd.json"
        odd.write_text('{"dalembert": 1, "name": "a<b & \\"c\\"", "title": "x > y", "bodies": [{"name": "p&q", "type": "point", "mass": 1}],'
                       '"inputs": {"u": {"value": 0, "unit": "N/mm"}}, "forces": [{"name": "<push>", "type": "force", "body": "p&q", "vector": [1, 0, "u"], "active": {"to": 0.5}}],'
                       '"events": [{"name": "<late>", "when": "t > 1", "set": {"u": 2}, "on": "<push>"}],'
                       '"outputs": ["p&q.position", "energy", "kinetic_energy"], "simulation": {"h": 0.01}}', encoding="utf-8")
        path = pathlib.Path(folder) / "unit.fmu"
        count = 0
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "DAL_CFLAGS": "-O0"}
        for model, code, exchange in (("spatial_slider_crank", "library", True), (crane, "generated", True), ("bouncing_ball", "auto", True), ("domino", "auto", False),
                                      ("chain", "library", True), (odd, "library", True), (odd, "auto", True), ("heavy_top", "auto", True),
                                       ("tippe_top", "library", False)):
            for version in (2, 3):
                command = [tool, "export", model, "--fmu", path, "--fmi", str(version), "--code", code]
                said = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
                check(path, version, exchange)
                generated = code != "library" and model not in ("bouncing_ball", "domino")
                assert ("generated code with its source" in said) == generated and ("library inside" in said) == (not generated), said
                if generated:
                    check_sources(path, version, pathlib.Path(folder) / f"unit-{count}")
                count += 1
        refused = subprocess.run([tool, "export", "bouncing_ball", "--fmu", path, "--code", "generated"], capture_output=True, text=True)
        assert refused.returncode == 3 and "contact" in refused.stderr, refused
        none = {**environment, "DAL_CC": "/no/such/cc"}
        said = subprocess.run([tool, "export", "heavy_top", "--fmu", path, "-s", "m=16"], check=True, capture_output=True, text=True, env=none).stdout
        assert "library inside" in said and "no compiler" in said, said
        # what takes minutes is told before it begins; here the compiler that fails at once is named false
        for model, told in (("helical_spring", True), ("heavy_top", False)):
            made = subprocess.run([tool, "export", model, "--fmu", path], check=True, capture_output=True, text=True, env={**environment, "DAL_CC": "false"})
            assert "library inside" in made.stdout and told == ("which takes minutes; --code library" in made.stderr), made
        refused = subprocess.run([tool, "export", crane, "--fmu", path, "--parameters", "weight"], capture_output=True, text=True)
        assert refused.returncode == 3 and "'weight'" in refused.stderr, refused
        assert subprocess.run([tool, "export", crane], capture_output=True).returncode == 2
    print(f"check_description: {count} units")


if __name__ == "__main__":
    main()
