"""Many runs, and studies."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dalembert


def rod():
    m = dalembert.Model("rod", gravity=[0, 0, -9.81])
    m.variable("L", 0.6)
    m.variable("w", 4)
    m.variable("m", 1.2)
    m.body("rod", mass="m", inertia=dalembert.rod("L", "z"), position=[0, 0, "-L/2"], velocity=["-w*L/2", 0, 0],
           angular_velocity=[0, "w", 0])
    m.revolute("hinge", body_b="rod", axis=[0, 1, 0], point=[0, 0, 0])
    m.outputs("hinge.coordinate", "rod.position", "energy")
    return m


def test_members_are_the_runs_one_by_one_bit_for_bit_whatever_the_threads():
    m = rod()
    lengths, speeds = np.linspace(0.3, 0.9, 7), np.linspace(1, 5, 7)
    one = dalembert.ensemble(m, {"L": lengths, "w": speeds}, t_end=0.5, h=1e-2, threads=1)
    four = dalembert.ensemble(m, {"L": lengths, "w": speeds}, t_end=0.5, h=1e-2, threads=4)
    assert one.success.all() and len(one) == 7 and one["rod.position"].shape == (7, 3)
    for name in ("hinge.coordinate", "rod.position", "energy"):
        np.testing.assert_array_equal(one[name], four[name])
    for k in range(7):
        result = dalembert.simulate(m.with_(L=lengths[k], w=speeds[k]), t_end=0.5, h=1e-2)
        assert one["hinge.coordinate"][k] == result["hinge.coordinate"][-1]
        np.testing.assert_array_equal(one["rod.position"][k], result["rod.position"][-1])


def test_outputs_over_time_have_an_axis_for_it():
    m = rod()
    times = [0.1, 0.25, 0.5]
    many = dalembert.ensemble(m, np.array([[0.4], [0.5]]), names=["L"], times=times, t_end=0.5, h=1e-2,
                              outputs=["rod.position", "energy"])
    assert many["rod.position"].shape == (2, 3, 3) and many["energy"].shape == (2, 3)
    result = dalembert.simulate(m.with_(L=0.4), times=times, t_end=0.5, h=1e-2)
    np.testing.assert_array_equal(many["rod.position"][0], result["rod.position"])
    every = dalembert.ensemble(m, {"L": [0.4]}, dt=0.1, t_end=0.5, h=1e-2)
    np.testing.assert_allclose(every.t, [0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert np.isfinite(every["energy"]).all()


def test_numbers_of_elements_can_be_varied_and_structure_too():
    m = rod()
    masses = [0.5, 1.0]
    many = dalembert.ensemble(m, {"bodies.rod.mass": masses}, t_end=0.1, h=1e-2)
    expected = dalembert.ensemble(m, {"m": masses}, t_end=0.1, h=1e-2)
    np.testing.assert_array_equal(many["energy"], expected["energy"])
    chains = dalembert.ensemble("chain", {"N": [2, 3, 4]}, t_end=0.01, outputs=["energy"])  # read anew for each
    single = [dalembert.simulate(dalembert.load("chain", N=n), t_end=0.01)["energy"][-1] for n in (2, 3, 4)]
    np.testing.assert_array_equal(chains["energy"], single)


def test_outputs_are_found_by_name_where_the_structure_differs():
    m = dalembert.Model("row")
    m.variable("N", 2)
    m.add("bodies", {"repeat": "i", "from": 1, "to": "N", "items": [
        {"name": "b{i}", "mass": 1, "inertia": 1, "position": ["i", 0, 0], "velocity": [0, "i", 0]}]})
    m.add("outputs", {"repeat": "i", "from": 1, "to": "N", "items": ["b{i}.velocity"]})
    m.output("kinetic_energy")
    many = dalembert.ensemble(m, {"N": [1, 2, 3]}, t_end=0.01, h=1e-3, outputs=["kinetic_energy"])
    np.testing.assert_allclose(many["kinetic_energy"], [0.5, 2.5, 7.0])
    many = dalembert.ensemble(m, {"N": [1, 3]}, t_end=0.01, h=1e-3)
    assert many.success.tolist() == [False, True] and "b2.velocity" in many.messages[0]


def test_loaded_models_and_tables_of_all_kinds(tmp_path):
    m = rod()
    m.save(tmp_path / "rod.json")
    values = [0.4, 0.5, 0.6]
    expected = dalembert.ensemble(m, {"L": values}, t_end=0.1, h=1e-2)["energy"]
    loaded = dalembert.load(tmp_path / "rod.json", w=4)
    structured = np.array([(x,) for x in values], dtype=[("L", float)])
    for params, names in (({"L": values}, None), (structured, None), (np.array(values), "L"),
                          (np.array(values)[:, None], ["L"]), ({"L": values, "w": 4.0}, None)):
        many = dalembert.ensemble(loaded, params, names=names, t_end=0.1, h=1e-2)
        np.testing.assert_array_equal(many["energy"], expected)
    pandas = pytest.importorskip("pandas")
    many = dalembert.ensemble(loaded, pandas.DataFrame({"L": values}), t_end=0.1, h=1e-2)
    assert list(many.to_pandas().columns)[:2] == ["L", "hinge.coordinate"]


def test_a_member_that_fails_is_told_and_the_others_are_not_harmed():
    m = rod()
    many = dalembert.ensemble(m, {"m": [0.5, -1.0, 0.6]}, t_end=0.1, h=1e-2)
    assert many.success.tolist() == [True, False, True]
    assert many.messages[0] is None and many.messages[1] and np.isnan(many["energy"][1])
    assert "2 of them" in repr(many)


def test_wrong_arguments_are_told():
    m = rod()
    with pytest.raises(KeyError, match="did you mean 'energy'"):
        dalembert.ensemble(m, {"L": [1]}, outputs=["enrgy"])
    with pytest.raises(TypeError, match="names"):
        dalembert.ensemble(m, np.zeros((2, 2)))
    with pytest.raises(ValueError):
        dalembert.ensemble(m, np.zeros((2, 2)), names=["L"])
    with pytest.raises(ValueError):
        dalembert.ensemble(m, {"L": [1, 2], "w": [1, 2, 3]})
    with pytest.raises(ValueError, match="increase"):
        dalembert.ensemble(m, {"L": [1]}, times=[0.2, 0.1])
    with pytest.raises(dalembert.OptionError):
        dalembert.ensemble(m, {"L": [1]}, rho_inf=3)
    assert not dalembert.ensemble(m, {"nothing": [1]}).success[0]
    assert len(dalembert.ensemble(m, {"L": []})) == 0


def test_models_with_python_functions_run_too():
    m = rod()
    m.law("push", joint="hinge", value=lambda t, x: -0.3 * x, inputs="hinge.coordinate")
    many = dalembert.ensemble(m, {"L": [0.4, 0.5]}, t_end=0.1, h=1e-2)
    result = dalembert.simulate(m.with_(L=0.5), t_end=0.1, h=1e-2)
    assert many.success.all() and many["energy"][1] == pytest.approx(result["energy"][-1], rel=1e-12)


INTERRUPTED = """
    import dalembert, os, signal, threading
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        dalembert.ensemble("heavy_top", {"m": range(1, 1000)}, t_end=1e4, h=1e-5)
    except KeyboardInterrupt:
        print("good")
"""


def test_ctrl_c_ends_an_ensemble():
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(INTERRUPTED)], capture_output=True, text=True, timeout=300)
    assert out.stdout == "good\n", out.stderr


FREE = """
    import dalembert, os, threading
    endless = lambda: dalembert.ensemble("heavy_top", {"m": range(1, 1000)}, t_end=1e4, h=1e-5)
    threading.Thread(target=endless, daemon=True).start()
    for _ in range(1000):
        threading.Event().wait(1e-4)
    print("free", flush=True)
    os._exit(0)
"""


def test_the_interpreter_is_free_during_an_ensemble():
    # if it were not, the program would end only with the ensemble
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(FREE)], capture_output=True, text=True, timeout=300)
    assert out.stdout == "free\n", out.stderr


def test_a_study_shows_the_orders_of_the_methods():
    study = dalembert.study("heavy_top", [4e-3, 2e-3, 1e-3], ["index3", "lobatto3"], t_end=0.2)
    assert study.errors["index3"].shape == (3, 3)
    assert study.orders["index3"][-1, 0] == pytest.approx(2.0, abs=0.1)
    assert study.orders["lobatto3"][-1, 0] == pytest.approx(4.0, abs=0.3)
    assert max(study.reference_error) < 1e-4 and "lobatto3" in repr(study)
    pytest.importorskip("matplotlib").use("Agg")
    assert len(study.plot().get_lines()) == 2


def test_a_study_of_own_equations():
    own = dalembert.System(
        2, M=lambda t, q: np.eye(2), g=lambda t, q, v: [0, 9.81], nc=1, Phi=lambda t, q: (q @ q - 1) / 2,
        B=lambda t, q: q, K=lambda t, q, v, vd, la: la[0] * np.eye(2), q0=[1, 0])
    study = dalembert.study(own, [2e-2, 1e-2], ["ggl"], t_end=0.2, samples=2, tol=1e-6)
    assert study.orders["ggl"][0, 0] == pytest.approx(2.0, abs=0.3)
