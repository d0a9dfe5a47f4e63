"""Pages of campbell and linearize: charts over anything but time."""
import json
import math
import unittest

import browser

OSCILLATOR = {
    "dalembert": 1, "name": "oscillator",
    "functions": {"off": {"type": "harmonic", "amplitude": 0, "omega": 1}},
    "bodies": [{"name": "block", "mass": 2, "inertia": 1}],
    "joints": [{"name": "guide", "type": "prismatic", "body_b": "block", "point": [0, 0, 0], "axis": [1, 0, 0]}],
    "forces": [{"name": "push", "type": "actuator", "joint": "guide", "function": "off"},
               {"name": "coil", "type": "spring", "joint": "guide", "stiffness": 200, "damping": 4}],
    "outputs": ["block.position"], "simulation": {"t_end": 1, "h": 0.01}}


class Charts(unittest.TestCase):
    """What the diagrams hold, and what they say under the pointer."""

    def setUp(self):
        self.chromium = browser.chromium

    def tearDown(self):
        self.assertEqual(self.chromium.errors(), [])

    def point_at(self, chart, x, y):
        """Move the pointer over a value of a chart."""
        self.chromium.js("(() => { const c = page.charts.plots[given[0]], [u, v] = c.place(given[1], given[2]), "
                         "r = c.canvas.getBoundingClientRect(); c.canvas.dispatchEvent(new PointerEvent('pointermove', "
                         "{clientX: r.left + u, clientY: r.top + v, bubbles: true})); })()", chart, x, y)

    def test_campbell_marks_its_critical_speeds(self):
        page = browser.tool.page("campbell", "campbell", "rotor", "--set", "spin=0:500:51", "--html")
        data = browser.scene_of(page)
        frequency, growth = data["charts"]
        self.assertEqual((frequency["title"], frequency["x"], growth["title"]), ("frequency", "spin", "growth"))
        lines = [t for t in frequency["traces"] if t["style"] == "line"]
        self.assertGreaterEqual(len(lines), 4)
        for line in lines:  # a branch is tracked: it has a value everywhere and no jumps
            steps = [abs(b - a) for a, b in zip(line["y"], line["y"][1:])]
            self.assertLess(max(steps), 0.2 * max(line["y"]))
        order = [t for t in frequency["traces"] if t["style"] == "dashed"]
        self.assertEqual(order[0]["name"], "order 1")
        self.assertAlmostEqual(order[0]["y"][1], 500 / (2 * math.pi), delta=1e-9)
        marks = [t for t in frequency["traces"] if t["style"] == "marks"][0]
        self.assertGreater(len(marks["x"]), 0)
        for p, f in zip(marks["x"], marks["y"]):
            self.assertAlmostEqual(f, p / (2 * math.pi), delta=1e-6)
        self.chromium.open(page)
        self.assertEqual(self.chromium.js("document.querySelectorAll('.plot').length"), 2)
        self.chromium.picture("campbell")
        self.point_at(0, marks["x"][0], marks["y"][0])
        said = self.chromium.element(".plot .hint").text
        self.assertIn("meets order 1", said)
        # a name in the legend hides its branch, the values stand beside the names
        self.assertNotEqual(self.chromium.element(".legend output").text, "")
        self.chromium.element(".legend button").click()
        self.assertFalse(self.chromium.js("page.charts.plots[0].series[0].shown"))
        self.assertIn("critical", self.chromium.element(".page.shown").text)

    def test_linearize_shows_poles_and_transfer_functions(self):
        (browser.tool.folder / "oscillator.json").write_text(json.dumps(OSCILLATOR), encoding="utf-8")
        page = browser.tool.page("linearize", "linearize", "oscillator.json", "--inputs", "push", "--outputs",
                                 "block.position", "--html")
        poles, size, phase = browser.scene_of(page)["charts"]
        s = complex(-1, math.sqrt(100 - 1))  # 2 x'' + 4 x' + 200 x = u
        self.assertEqual(sorted(zip(poles["traces"][0]["x"], poles["traces"][0]["y"]), key=lambda z: z[1])[1][0],
                         poles["traces"][0]["x"][0])
        for x, y in zip(poles["traces"][0]["x"], poles["traces"][0]["y"]):
            self.assertAlmostEqual(x, s.real, delta=1e-9)
            self.assertAlmostEqual(abs(y), s.imag, delta=1e-9)
        self.assertEqual([t["name"] for t in size["traces"]], ["block.position.x"])  # y and z do not answer
        for k, f in enumerate(size["traces"][0]["x"]):
            w = 2j * math.pi * f
            g = 1 / (2 * w * w + 4 * w + 200)
            self.assertAlmostEqual(size["traces"][0]["y"][k] / abs(g), 1, delta=1e-8)
            self.assertAlmostEqual(phase["traces"][0]["y"][k], math.degrees(math.atan2(g.imag, g.real)), delta=1e-5)
        self.chromium.open(page)
        self.assertEqual(self.chromium.js("document.querySelectorAll('.plot').length"), 3)
        self.point_at(0, s.real, s.imag)
        self.assertIn("damping 0.1", self.chromium.element(".plot .hint").text)
        text = self.chromium.element(".page.shown").text
        self.assertIn("2 states", text)
        self.assertIn("2 x 2", text)
        self.chromium.picture("linearize")
