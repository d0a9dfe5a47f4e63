"""Pages of view, report and study; names that try to be more than text; many bodies."""
import json
import pathlib
import unittest

import browser

HOSTILE = "</script><script>window.pwned=1;alert('x')</script><img src=x onerror=\"window.pwned=2\">`$(window.pwned=3)`'\"&amp; ä 漢"


def model(name, text):
    """A model file beside the pages."""
    (browser.tool.folder / name).write_text(json.dumps(text), encoding="utf-8")
    return name


class OtherPages(unittest.TestCase):
    """One browser, many pages."""

    def setUp(self):
        self.chromium = browser.chromium

    def tearDown(self):
        self.assertEqual(self.chromium.errors(), [])

    def test_impacts_are_marked_on_the_time_axis(self):
        self.chromium.open(browser.tool.page("ball", "run", "bouncing_ball", "-q", "--html"))
        self.assertGreater(self.chromium.js("document.querySelectorAll('.timeline .mark').length"), 20)
        self.assertIn("floor, impact", self.chromium.js("document.querySelector('.mark').title"))
        self.chromium.js("document.querySelector('.mark').click()")
        self.assertAlmostEqual(self.chromium.js("page.player.time"), (2 / 9.81) ** 0.5, delta=1e-6)

    def test_a_gallery_shows_the_page_that_is_chosen(self):
        path = browser.tool.page("gallery", "gallery", "heavy_top", "slider_crank", "-q", "-o")
        self.chromium.driver.get(path.resolve().as_uri())
        ready = "document.querySelector('iframe').contentWindow.dalembert?.cost?.length > 0"
        title = "document.querySelector('iframe').contentDocument.querySelector('h1').textContent"
        self.chromium.until(ready)
        self.assertIn("heavy_top", self.chromium.js(title))
        self.assertGreater(self.chromium.js("document.querySelector('iframe').contentWindow.dalembert.player.duration ?? 1"), 0)
        self.chromium.js("document.querySelectorAll('nav button')[1].click()")
        self.chromium.until(f"{ready} && {title}.includes('slider_crank')")
        self.chromium.js("(document.getElementById('find').value = 'heavy', document.getElementById('find').dispatchEvent(new Event('input')))")
        self.assertEqual(self.chromium.js("[...document.querySelectorAll('nav button')].filter((b) => !b.hidden).length"), 1)

    def test_hostile_names_stay_text(self):
        name = model("hostile.json", {
            "dalembert": 1, "name": HOSTILE, "title": HOSTILE,
            "bodies": [{"name": HOSTILE, "mass": 1, "inertia": 1}],
            "joints": [{"name": HOSTILE, "type": "spherical", "body_b": HOSTILE, "point": [1, 0, 0]}],
            "outputs": [HOSTILE + ".position"], "note": HOSTILE, "simulation": {"t_end": 0.1, "h": 0.01}})
        for page in (browser.tool.page("hostile", "run", name, "-q", "--html"),
                     browser.tool.page("hostile_view", "view", name, "-q", "-o")):
            self.chromium.open(page)
            self.assertIsNone(self.chromium.js("window.pwned === undefined ? null : window.pwned"))
            self.assertEqual(self.chromium.js("document.scripts.length"), 2)
            self.assertEqual(self.chromium.js("document.querySelectorAll('img, iframe, object, embed, link, svg').length"), 0)
            self.assertEqual(self.chromium.js("document.querySelector('h1').textContent"), HOSTILE)
            self.assertEqual(self.chromium.js("document.querySelector('.item span').textContent"), HOSTILE)
            self.chromium.js("page.select('joints', 0)")
            self.assertEqual(self.chromium.js("document.querySelector('#inspector h3').textContent"), HOSTILE)
            source = (browser.tool.folder / name).read_text(encoding="utf-8")
            self.assertEqual(self.chromium.js("document.querySelector('pre').textContent"), source)

    def test_view_names_the_joint_that_is_misplaced(self):
        bar = {"type": "planar", "mass": 1, "inertia": 0.1}
        name = model("four_bar.json", {
            "dalembert": 1, "name": "four_bar", "gravity": [0, -9.81],
            "bodies": [{"name": "crank", "position": [0, 0.5], **bar}, {"name": "coupler", "position": [1, 1], **bar},
                       {"name": "rocker", "position": [2, 0.5], **bar}],
            "joints": [
                {"name": "A", "type": "planar_revolute", "body_b": "crank", "point": [0, 0]},
                {"name": "B", "type": "planar_revolute", "body_a": "crank", "body_b": "coupler", "point": [0, 1]},
                {"name": "C", "type": "planar_revolute", "body_a": "coupler", "body_b": "rocker",
                 "frame_a": [1, 0.2], "frame_b": [0, 0.5]},
                {"name": "D", "type": "planar_revolute", "body_b": "rocker", "point": [2, 0]}]})
        _, said = browser.tool.run("view", name, "-o", "four_bar.html", code=1)
        self.assertIn("joint 'C'", said)
        self.chromium.open(browser.tool.folder / "four_bar.html")
        marks = self.chromium.js("[...document.querySelectorAll('.item')].filter((i) => i.querySelector('em.open'))"
                                 ".map((i) => i.querySelector('span').textContent + ' ' + i.querySelector('em').textContent)")
        self.assertEqual(marks, ["C open by 0.2"])
        self.assertIn("joint 'C'", self.chromium.element(".page.shown").text)
        self.chromium.picture("four_bar")

    def test_redundant_joints_are_marked(self):
        self.chromium.open(browser.tool.page("bricard", "view", "bricard", "-q", "-o"))
        self.assertGreater(self.chromium.js("document.querySelectorAll('em.redundant').length"), 0)

    def test_a_report_shows_what_the_run_showed(self):
        browser.tool.run("run", "heavy_top", "-q", "-o", "stored", "--t-end", "0.3")
        browser.tool.run("run", "heavy_top", "-q", "-o", "stored.h5", "--t-end", "0.3")
        run = browser.tool.page("short", "run", "heavy_top", "-q", "--t-end", "0.3", "--html")
        self.chromium.open(run)
        expected = self.chromium.js("(page.player.seek(0.2), page.motion.moveTo(0.2), page.motion.frame(0))")
        titles = self.chromium.js("page.curves.plots.map((p) => p.title)")
        for results, name in (("stored", "report_csv"), ("stored.h5", "report_hdf5")):
            self.chromium.open(browser.tool.page(name, "report", results, "-o"))
            frame = self.chromium.js("(page.player.seek(0.2), page.motion.moveTo(0.2), page.motion.frame(0))")
            for got, wanted in zip(frame, expected):
                self.assertAlmostEqual(got, wanted, delta=2e-3)
            self.assertEqual(self.chromium.js("page.curves.plots.map((p) => p.title)"), titles)
            self.assertEqual(self.chromium.js("page.picture.trails.length"), 1)
            self.assertIn("generalized-alpha", self.chromium.element(".page.shown").text)
            values = self.chromium.js("page.curves.series.map((s) => s.y.filter(Number.isFinite).length)")
            self.assertGreater(min(values), 100)

    def test_a_study_has_its_convergence_plot(self):
        self.chromium.open(browser.tool.page("study", "study", "pendulum", "--h", "4e-2,2e-2,1e-2", "--methods",
                                             "index3,ggl", "--html"))
        self.assertEqual(self.chromium.js("document.querySelectorAll('.plot').length"), 3)
        legend = self.chromium.element(".legend").text
        self.assertIn("order 2.0", legend)
        self.chromium.picture("study")

    def test_flexible_bodies_are_deformed(self):
        self.chromium.open(browser.tool.page("flexible", "run", "flexible_pendulum", "-q", "--html"))
        bent = self.chromium.js("""(() => {
            page.motion.moveTo(0.2);
            const beam = page.motion.beams[0], at = (k) => [0, 1, 2].map((c) => page.motion.pose[8*(beam.at + k) + c]);
            const a = at(0), b = at(beam.n - 1), m = at((beam.n - 1) / 2);
            return Math.hypot(...a.map((x, c) => m[c] - 0.5*(x + b[c])));
        })()""")
        self.assertGreater(bent, 1e-4)

    def test_surfaces_of_finite_element_bodies_are_deformed(self):
        model = str(pathlib.Path(__file__).parents[2] / "examples/connecting_rod/crank.json")
        self.chromium.open(browser.tool.page("rod", "run", model, "-q", "--html"))
        self.assertEqual(self.chromium.js("page.motion.beams[0].triangles.length"), 36)
        self.assertEqual(self.chromium.js("page.picture.renderer.gl.getError()"), 0)
        bent = self.chromium.js("""(() => {
            page.motion.moveTo(0.02);
            const beam = page.motion.beams[0], at = (k) => [0, 1, 2].map((c) => page.motion.pose[8*(beam.at + k) + c]);
            const a = at(0), b = at(12), m = at(6);
            return Math.hypot(...a.map((x, c) => m[c] - 0.5*(x + b[c])));
        })()""")
        self.assertGreater(bent, 1e-4)

    def test_beams_are_swept_sections_with_colours(self):
        self.chromium.open(browser.tool.page("swept", "run", "right_angle_cantilever", "-q", "-s", "degree=4", "-s", "elements=3",
                                             "--t-end", "2", "--output-every", "0.05", "--html"))
        self.assertEqual(self.chromium.js("page.motion.rods.map((r) => [r.name, r.n])"), [["one", 13], ["two", 13]])
        # the ring of corners is about the node, across the axis
        off = self.chromium.js("""(() => {
            page.motion.moveTo(1.5);
            const rod = page.motion.rods[1], s = 7, f = page.motion.frame(rod.body[s]), m = rod.corners;
            const at = (c) => [0, 1, 2].map((k) => page.motion.pose[8*(rod.at + m*s + c) + k]);
            const axis = [1 - 2*(f[5]**2 + f[6]**2), 2*(f[4]*f[5] + f[3]*f[6]), 2*(f[4]*f[6] - f[3]*f[5])];
            const way = (c) => at(c).map((x, k) => x - f[k]);
            return [Math.hypot(...way(0)), Math.abs(way(3).reduce((t, x, k) => t + x*axis[k], 0))];
        })()""")
        self.assertGreater(off[0], 1e-3)
        self.assertLess(off[1], 1e-3 * off[0])
        # the clamp bends, the tip does not
        choice = "document.querySelector('select.colouring')"
        self.chromium.js(f"({choice}.selectedIndex = 5, {choice}.dispatchEvent(new Event('change')), page.player.seek(1))")
        values = self.chromium.js("""(() => {
            page.motion.moveTo(1);
            return page.motion.rods.map((r) => [0, r.n - 1].map((s) => page.motion.pose[8*(r.at + r.corners*s) + 3]));
        })()""")
        self.assertGreater(abs(values[0][0]), 0.1)
        self.assertLess(abs(values[1][1]), 0.02)
        self.assertIn("N m", self.chromium.js("document.querySelector('.legend').textContent"))
        self.chromium.picture("swept")
        self.assertEqual(self.chromium.js("page.picture.renderer.gl.getError()"), 0)

    def test_a_frame_of_4000_links_takes_the_calls_of_ten(self):
        calls = []
        for n in ("10", "4000"):
            page = browser.tool.page(f"chain{n}", "run", "chain", "--set", f"N={n}", "--t-end", "0.02", "-q", "--html")
            self.chromium.open(page)
            self.assertLessEqual(self.chromium.js("page.picture.renderer.batches.length"), 12)
            calls.append(self.chromium.js("""(() => {
                const gl = page.picture.renderer.gl, count = {};
                for (const name in gl) {
                    if (typeof gl[name] === "function") {
                        const method = gl[name].bind(gl);
                        gl[name] = (...words) => { count[name] = (count[name] || 0) + 1; return method(...words); };
                    }
                }
                page.picture.draw(0.01);
                return count;
            })()"""))
        self.assertGreater(sum(calls[0].values()), 10)
        self.assertEqual(calls[0], calls[1])


class Sizes(unittest.TestCase):
    """Bytes of pages."""

    def test_script_and_style(self):
        page = browser.tool.page("heavy_top", "run", "heavy_top", "-q", "-o", "top", "--html")
        self.assertLessEqual(browser.data_of(page)[1], 120000)

    def test_ten_seconds_of_twenty_bodies(self):
        page = browser.tool.page("twenty", "run", "chain", "--set", "N=20", "--set", "formulation=ggl", "--set", "rho_inf=0.5", "--t-end", "10", "-q",
                                 "--html")
        self.assertLessEqual(len(browser.data_of(page)[0]), 1000000)

    def test_a_million_steps(self):
        page = browser.tool.page("million", "run", "pendulum", "--h", "1e-5", "--t-end", "10", "-q", "--html")
        self.assertLessEqual(page.stat().st_size, 10000000)
