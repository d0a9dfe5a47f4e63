"""The examples run, scripts and the notebook."""

import json
import runpy

import pytest

pytest.importorskip("matplotlib").use("Agg")


def test_scripts_run_and_say_something(root, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scripts = sorted((root / "python" / "examples").glob("*.py"))
    assert len(scripts) >= 6
    for script in scripts:
        runpy.run_path(str(script))
        assert len(capsys.readouterr().out.splitlines()) >= 2, script


def test_cells_of_the_notebook_run(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(root / "python" / "examples" / "first_steps.ipynb", encoding="utf-8") as file:
        notebook = json.load(file)
    assert notebook["nbformat"] == 4
    names = {}
    shown = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = "".join(cell["source"]).splitlines()
            exec("\n".join(lines), names)  # pylint: disable=exec-used
            try:
                value = eval(last, names)  # pylint: disable=eval-used
            except SyntaxError:
                exec(last, names)  # pylint: disable=exec-used
                continue
            shown += value is not None
            if hasattr(value, "_repr_html_"):
                assert "iframe" in value._repr_html_()
    assert shown >= 5
