"""Models: loaded, built, varied, with Python functions in them."""

import json

import numpy as np
import pytest

import dalembert
from dalembert import _core


def test_every_builtin_model_loads_and_makes_a_step():
    for name in dalembert.builtin():
        sim = dalembert.Simulation(name)
        sim.step()
        assert sim.t > 0, name


def test_variables_are_keywords_and_may_be_expressions():
    assert dalembert.load("heavy_top", m=3).variables["m"] == 3.0
    assert dalembert.load("heavy_top", m="2*pi").variables["m"] == pytest.approx(2 * np.pi)
    assert dalembert.load("heavy_top", m=np.float64(0.1)).variables["m"] == 0.1
    varied = dalembert.load("heavy_top").with_(spin=10)
    assert varied.variables["spin"] == 10 and dalembert.load("heavy_top").variables["spin"] == 150


def test_a_number_comes_through_to_the_last_bit():
    x = 0.1 + 0.2
    assert dalembert.load("heavy_top", m=x).variables["m"] == x


def crank():
    m = dalembert.Model("crank", gravity=[0, 0, -9.81])
    m.variable("c", 0.04)
    m.body("crank", mass=0.12, inertia=[1e-4, 1e-4, 1e-5], com=[0, 0, "c"], position=[0, 0.1, 0.12],
           angular_velocity=np.array([6.0, 0, 0]))
    m.body("rod", mass=0.5, inertia=(4e-4, 4e-3, 4e-3), position=[0.1, 0.05, 0.1],
           rotation={"matrix": [["2/3", 0, "sqrt(5)/3"], ["-1/3", "2/sqrt(5)", "2/3/sqrt(5)"],
                                ["-2/3", "-1/sqrt(5)", "4/3/sqrt(5)"]]},
           velocity=[0.12, -0.24, 0], angular_velocity_world=["0.32*6", "-0.16*6", "0.08*6"])
    m.body("slider", mass=2, inertia=[1e-4] * 3, position=[0.2, 0, 0], velocity=[0.24, 0, 0],
           shape=dalembert.box(0.05, 0.03, 0.03))
    m.revolute("A", body_b="crank", point=[0, 0.1, 0.12], axis=[1, 0, 0])
    m.spherical("B", body_a="crank", body_b="rod", point=[0, 0.1, 0.2])
    m.universal("C", body_a="slider", body_b="rod", point=[0.2, 0, 0], x_axis=[1, 0, 0], y_axis=[0, 2, -1])
    m.prismatic("D", body_b="slider", axis=[1, 0, 0])
    m.outputs("slider.position", "A.coordinate", "energy")
    m.simulation(t_end=5, h=0.001)
    return m


def test_a_model_built_here_is_that_of_the_file_bit_for_bit():
    built = dalembert.simulate(crank(), t_end=0.2)
    file = dalembert.simulate("spatial_slider_crank", t_end=0.2)
    np.testing.assert_array_equal(built.q, file.q)
    np.testing.assert_array_equal(built["slider.position"], file["slider.position"])


def test_a_model_built_here_can_be_saved_and_read(tmp_path):
    m = crank()
    m.save(tmp_path / "crank.json")
    again = dalembert.load(tmp_path / "crank.json")
    np.testing.assert_array_equal(again.q0, m.q0)
    assert json.loads(m.text)["bodies"][0]["com"] == [0, 0, "c"]
    assert again.bodies == ["crank", "rod", "slider"] and again.freedoms == 1


def test_a_loaded_model_can_be_added_to():
    m = dalembert.load("pendulum")
    n = len(m.forces)
    m.spring("extra", joint=m.joints[0], stiffness=2.5)
    assert len(m.forces) == n + 1 and len(dalembert.load("pendulum").forces) == n


def test_every_type_of_element_of_the_schema_has_a_method():
    defs = json.loads(_core.schema())["$defs"]
    for definition in ("joint", "force"):
        for item in defs[definition]["anyOf"]:
            kind = item.get("properties", {}).get("type", {})
            names = kind.get("enum") or next((a["enum"] for a in kind.get("anyOf", []) if "enum" in a), [])
            for name in names:
                assert callable(getattr(dalembert.Model, name)), name


def test_a_name_of_two_kinds_of_elements_has_two_methods():
    model = dalembert.Model("ball")
    model.body("ball", mass=1, inertia=[1, 1, 1])
    model.contact("rigid", body_b="ball", radius=0.1)
    model.contact_force("soft", body_b="ball", radius=0.1, stiffness=1e4)
    parts = json.loads(model.text)
    assert [j["type"] for j in parts["joints"]] == ["contact"]
    assert [f["type"] for f in parts["forces"]] == ["contact"]


def test_values_that_no_file_could_hold_are_refused_at_once():
    with pytest.raises(TypeError, match="body 'b'.mass"):
        dalembert.Model().body("b", mass=object())
    with pytest.raises(TypeError, match="name"):
        dalembert.Model().body(3, mass=1)
    with pytest.raises(TypeError):
        dalembert.Model().revolute("A", body="rod")
    with pytest.raises(dalembert.ModelError):
        dalembert.Model().add("nothing", {})


def oscillator(force):
    """A mass of 2 kg on a rail, pulled by a force."""
    m = dalembert.Model()
    m.body("cart", mass=2, inertia=1)
    m.prismatic("rail", body_b="cart", axis=[1, 0, 0])
    force(m)
    m.outputs("rail.coordinate", "energy")
    return m


def test_a_python_law_is_the_law_of_the_file():
    def python(m):
        m.law("f", joint="rail", value=lambda t, x, xd: -50 * x - 0.7 * xd + np.sin(t),
              inputs={"x": "rail.coordinate", "xd": "rail.coordinate_velocity"})

    def file(m):
        m.law("f", joint="rail", value="-50*x - 0.7*xd + sin(t)",
              inputs={"x": "rail.coordinate", "xd": "rail.coordinate_velocity"})

    a = dalembert.simulate(oscillator(python), t_end=2, h=1e-2)
    b = dalembert.simulate(oscillator(file), t_end=2, h=1e-2)
    assert a.success and b.success
    np.testing.assert_allclose(a["rail.coordinate"], b["rail.coordinate"], rtol=0, atol=1e-9)


def test_a_gradient_is_used_and_outputs_of_python_forces_exist():
    calls = []

    def gradient(t, x):
        calls.append(t)
        return [-50.0]

    def force(m):
        m._add("forces", {"name": "f", "type": "law", "joint": "rail", "value": lambda t, x: -50 * x + 1.0,
                          "gradient": gradient, "inputs": "rail.coordinate"})
        m.output("f.force_value")

    result = dalembert.simulate(oscillator(force), t_end=1, h=1e-2)
    assert calls
    np.testing.assert_allclose(result["f.force_value"], 1 - 50 * result["rail.coordinate"], atol=1e-12)
    omega = np.sqrt(50 / 2)
    np.testing.assert_allclose(result["rail.coordinate"], 0.02 * (1 - np.cos(omega * result.t)), atol=1e-4)


def test_a_python_state_is_integrated_with_the_motion():
    def force(m):
        m.state("s", value=lambda t, s: -3.0 * s, inputs={"s": "s.state"}, initial=2.0)
        m.output("s.state")

    result = dalembert.simulate(oscillator(force), t_end=1, h=1e-3)
    np.testing.assert_allclose(result["s.state"], 2 * np.exp(-3 * result.t), atol=1e-5)


def test_a_python_motion_drives_a_joint():
    def force(m):
        m.motion("drive", joint="rail", function=lambda t: (0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t)))

    result = dalembert.simulate(oscillator(force), t_end=2, h=1e-2, method="ggl")
    np.testing.assert_allclose(result["rail.coordinate"], 0.1 * np.sin(result.t), atol=1e-9)


def test_a_law_between_bodies_acts_along_a_coordinate_in_the_world():
    m = dalembert.Model()
    m.body("a", mass=1, inertia=1)
    m.body("b", mass=3, inertia=1, position=[2, 0, 0])
    m.law("rope", body_a="a", body_b="b", coordinate="length", value=lambda t: -0.6)
    m.outputs("a.position", "b.position", "momentum")
    result = dalembert.simulate(m, t_end=1, h=1e-2)
    np.testing.assert_allclose(result["a.position.x"], 0.3 * result.t**2, atol=1e-12)
    np.testing.assert_allclose(result["b.position.x"], 2 - 0.1 * result.t**2, atol=1e-12)


def test_wrong_inputs_of_python_laws_are_named():
    m = dalembert.Model()
    with pytest.raises(dalembert.ModelError, match="cannot be an input"):
        m.law("f", joint="rail", value=lambda t, x: 0, inputs=["rail.nonsense"])
    with pytest.raises(dalembert.ModelError, match="did you mean 'length'"):
        m.law("f", coordinate="lenth", value=lambda t: 0)
    with pytest.raises(dalembert.ModelError, match="not possible"):
        m.law("f", value=lambda t: 0, active={"from": 1})
    m.law("f", joint="nowhere", value=lambda t: 0.0)
    with pytest.raises(dalembert.ModelError, match="nowhere"):
        m.compile()
    with pytest.raises(dalembert.ModelError, match="cannot hold Python functions"):
        m.save("/nonexistent/x.json")


def test_a_model_shows_itself(tmp_path):
    m = crank()
    page = m.html()
    assert m.html(tmp_path / "crank.html") and (tmp_path / "crank.html").read_text(encoding="utf-8") == page
    assert "slider" in page and m._repr_html_().startswith("<iframe srcdoc=")
    broken = dalembert.Model()
    broken.revolute("A", body_b="nobody")
    with pytest.raises(dalembert.ModelError, match="nobody"):
        broken.html()


def test_a_beam_is_built_and_bends():
    m = dalembert.Model("cantilever")
    m.variable("P", 5)
    m.beam("rod", from_=[0, 0, 0], to=[1, 0, 0], start="ground", elements=4,
           section={"EA": 1e10, "GA": 1e10, "GJ": 1, "EI": 1, "rhoA": 1, "rhoI": 1e-3})
    m.force("pull", body="rod@1", vector=[0, "P", 0])
    m.output("rod@1.position")
    rest = dalembert.static(m)
    assert rest["rod@1.position"][:2] == pytest.approx([0.6123716392755701, 0.7137915236119128], abs=1e-6)
    assert dalembert.modes(m, about="static", n=2).eigenvalues[0].imag > 0


def test_modes_in_axes_that_turn():
    blade = dalembert.load("rotating_blade", rpm=750)
    found = dalembert.modes(blade, about="steady", n=3)
    assert found.frequencies[0] == pytest.approx(13.5505, rel=1e-4)
