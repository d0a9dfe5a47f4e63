"""The page of a run: what it shows is the solution, and its parts agree."""
import math
import unittest

import browser

TIMES = (0.1, 0.35, 0.8)


def turn(q, v):
    """A vector turned by a unit quaternion."""
    u = q[1:]
    t = [2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]), 2 * (u[0] * v[1] - u[1] * v[0])]
    w = [u[1] * t[2] - u[2] * t[1], u[2] * t[0] - u[0] * t[2], u[0] * t[1] - u[1] * t[0]]
    return [v[k] + q[0] * t[k] + w[k] for k in range(3)]


class PageOfARun(unittest.TestCase):
    """The heavy top."""

    def setUp(self):
        self.page = browser.tool.page("heavy_top", "run", "heavy_top", "-q", "-o", "top", "--html")
        self.chromium = browser.chromium
        self.chromium.open(self.page)

    def tearDown(self):
        self.assertEqual(self.chromium.errors(), [])

    def test_the_canvas_is_not_blank(self):
        colours = self.chromium.js("""(() => {
            page.picture.draw(page.player.time);
            const gl = page.picture.renderer.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
            const px = new Uint8Array(4 * w * h);
            gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, px);
            return new Set(new Uint32Array(px.buffer)).size;
        })()""")
        self.assertGreater(colours, 50)

    def test_the_axis_of_the_top_is_where_the_solution_says(self):
        table = browser.tool.table("top/outputs.csv")
        for t in TIMES:
            row = min(range(len(table["time"])), key=lambda i: abs(table["time"][i] - t))
            self.assertAlmostEqual(table["time"][row], t, delta=1e-9)
            q = [table[f"top.quaternion.{c}"][row] for c in "wxyz"]
            self.chromium.js("page.player.seek(given[0])", t)
            self.chromium.drawn()
            frame = self.chromium.js("page.motion.frame(0)")
            for k, c in enumerate("xyz"):
                self.assertAlmostEqual(frame[k], table[f"top.position.{c}"][row], delta=1e-3)
            for got, expected in zip(turn(frame[3:], [0, 1, 0]), turn(q, [0, 1, 0])):
                self.assertAlmostEqual(got, expected, delta=1e-3)

    def test_slider_cursor_clock_and_animation_agree(self):
        for share in (0.0, 0.37, 1.0):
            self.chromium.driver.execute_script("""
                const slider = document.querySelector("input.time");
                slider.value = 10000 * arguments[0];
                slider.dispatchEvent(new Event("input"));""", share)
            self.chromium.drawn()
            t = self.chromium.js("page.player.time")
            self.assertAlmostEqual(t, share, delta=1e-9)
            self.assertAlmostEqual(self.chromium.js("page.motion.now"), t, delta=1e-12)
            self.assertAlmostEqual(float(self.chromium.element("output.clock").text.split()[0]), t, delta=5e-4)
            for plot in range(self.chromium.js("page.curves.plots.length")):
                at = self.chromium.js("""(() => {
                    const plot = page.curves.plots[given[0]];
                    return plot.xAt(new DOMMatrix(getComputedStyle(plot.line).transform).m41);
                })()""", plot)
                self.assertAlmostEqual(at, t, delta=2e-3)
        self.chromium.js("page.player.seek(0.35)")
        self.chromium.drawn()
        value = self.chromium.js("Number(page.curves.plots[0].labels[0].textContent)")
        self.assertAlmostEqual(value, self.chromium.js("page.motion.frame(0)[0]"), delta=1e-3)

    def test_the_animation_plays(self):
        self.chromium.js("page.player.toggle()")
        self.chromium.until("page.player.time > 0.01")
        self.chromium.js("page.player.toggle()")
        self.assertFalse(self.chromium.js("page.player.playing"))

    def test_a_click_on_a_curve_jumps_there(self):
        self.chromium.click_at("#plots .plot canvas", 150, 60)
        expected = self.chromium.js("page.curves.plots[0].xAt(150)")
        self.assertGreater(expected, 0.1)
        self.assertAlmostEqual(self.chromium.js("page.player.time"), expected, delta=0.01)

    def test_curves_are_chosen_and_zoomed(self):
        self.chromium.js("page.curves.plots[0].zoom([0.2, 0.4])")
        self.assertEqual(self.chromium.js("page.curves.plots.map((p) => p.limits()[0])[1]"), 0.2)
        self.chromium.element("#plots .legend .curve").click()
        self.assertFalse(self.chromium.js("page.curves.plots[0].series[0].shown"))

    def test_the_quality_of_the_run_is_there(self):
        titles = self.chromium.js("page.curves.plots.map((p) => p.title)")
        for title in ("energy balance", "constraint residuals", "step size", "Newton iterations"):
            self.assertIn(title, titles)
        self.assertEqual(self.chromium.js("page.curves.series.filter((s) => s.name === 'energy').length"), 1)
        tabs = [tab.text for tab in self.chromium.driver.find_elements("css selector", ".tabs button")]
        for tab in ("summary", "options", "model"):
            self.assertIn(tab, tabs)

    def test_a_click_picks_bodies_and_joints(self):
        for point, kind, name, row in (("[0, -0.5, 0]", "bodies", "top", "position [m]"),
                                       ("[0, -1, 0]", "joints", "tip", "force [N]")):
            self.chromium.js("page.player.seek(0.2)")
            self.chromium.drawn()
            x, y = self.chromium.js(f"page.picture.pixel(page.motion.frame(0), {point})")
            self.chromium.click_at("#canvas", x, y)
            self.assertEqual(self.chromium.element(".item.selected span").text, name)
            self.assertEqual(self.chromium.js("page.inspector.what[0]"), kind)
            self.assertIn(name, self.chromium.element("#inspector h3").text)
            self.assertIn(row, self.chromium.element("#inspector").text)
        before = self.chromium.element("#inspector").text
        self.chromium.js("page.player.seek(0.7)")
        self.chromium.drawn()
        self.assertNotEqual(before, self.chromium.element("#inspector").text)
        self.chromium.click_at("#canvas", 3, 200)
        self.assertIsNone(self.chromium.js("page.inspector.what"))

    def test_a_click_in_the_tree_selects(self):
        self.chromium.driver.find_elements("css selector", "#tree .item")[1].click()
        self.assertEqual(self.chromium.js("page.inspector.what"), ["joints", 0])

    def test_the_keyboard_works(self):
        keys = self.chromium.keys
        keys("\ue010")  # End
        self.assertEqual(self.chromium.js("page.player.time"), 1)
        keys("\ue011")  # Home
        keys("\ue014")  # right
        self.assertGreater(self.chromium.js("page.player.time"), 0)
        self.assertLess(self.chromium.js("page.player.time"), 0.01)
        keys(" ")
        self.assertTrue(self.chromium.js("page.player.playing"))
        keys(" ")
        speed = self.chromium.js("page.player.speed")
        keys("+")
        self.assertGreater(self.chromium.js("page.player.speed"), speed)
        for key, state in (("r", "page.picture.layers.reactions"), ("g", "page.picture.layers.grid"), ("d", "page.dark"),
                           ("o", "page.picture.camera.flat"), ("l", "page.player.loop")):
            before = self.chromium.js(state)
            keys(key)
            self.assertEqual(self.chromium.js(state), not before, key)
        keys("3")
        self.assertAlmostEqual(self.chromium.js("page.picture.camera.pitch"), math.pi / 2, delta=1e-3)
        self.chromium.js("page.select('bodies', 0)")
        keys("\ue00c")  # Escape
        self.assertEqual(self.chromium.js("page.picture.selected"), 0)

    def test_dragging_turns_and_the_wheel_zooms(self):
        yaw, distance = self.chromium.js("[page.picture.camera.yaw, page.picture.camera.distance]")
        self.chromium.driver.execute_script("""
            const canvas = document.getElementById("canvas");
            const send = (type, x, more) => canvas.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: x,
                clientY: 300, isPrimary: true, bubbles: true, ...more}));
            canvas.setPointerCapture = () => {};
            send("pointerdown", 500); send("pointermove", 560); send("pointerup", 560);
            canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 200, cancelable: true}));""")
        self.assertNotEqual(self.chromium.js("page.picture.camera.yaw"), yaw)
        self.assertGreater(self.chromium.js("page.picture.camera.distance"), distance)
        self.chromium.js("page.fit()")
        self.assertLess(self.chromium.js("page.picture.camera.distance"), 2 * distance)

    def test_the_scale_of_the_arrows_is_changed(self):
        self.chromium.js("page.toggleLayer('reactions')")
        self.chromium.driver.execute_script("""
            const scale = document.querySelector("#layers input");
            scale.value = 1;
            scale.dispatchEvent(new Event("input"));""")
        self.assertAlmostEqual(self.chromium.js("page.picture.arrowScale"), 10, delta=1e-9)

    def test_a_frame_is_saved_as_png(self):
        self.chromium.js("page.savePicture()")
        self.assertEqual(self.chromium.downloaded("heavy_top.png")[:8], b"\x89PNG\r\n\x1a\n")

    def test_the_motion_is_saved_as_webm(self):
        self.chromium.js("(page.player.speed = 0.5, page.saveMovie())")
        movie = self.chromium.downloaded("heavy_top.webm")
        self.assertEqual(movie[:4], b"\x1a\x45\xdf\xa3")
        self.assertGreater(len(movie), 2000)

    def test_dark_and_light(self):
        backs = []
        for dark in ("false", "true"):
            self.chromium.js(f"(page.setDark({dark}), page.player.seek(0.35))")
            self.chromium.drawn()
            backs.append(self.chromium.js("getComputedStyle(document.body).backgroundColor"))
            self.chromium.picture("dark" if dark == "true" else "light")
        self.assertNotEqual(*backs)

    def test_a_phone_needs_no_scrolling_to_the_side(self):
        driver = self.chromium.driver
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
        try:
            self.chromium.open(self.page)
            self.assertEqual(self.chromium.js("innerWidth"), 390)
            self.assertLessEqual(self.chromium.js("document.documentElement.scrollWidth"), 390)
            self.assertGreater(self.chromium.js("document.getElementById('canvas').clientHeight"), 300)
            self.chromium.picture("phone")
        finally:
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


class PageWithContacts(unittest.TestCase):
    """A stack of boxes: what presses carries the weight."""

    def setUp(self):
        self.chromium = browser.chromium
        self.chromium.open(browser.tool.page("stack", "run", "box_stack", "-q", "--t-end", "1", "-o", "stack", "--html"))

    def tearDown(self):
        self.assertEqual(self.chromium.errors(), [])

    def test_contacts_are_marked_with_their_forces(self):
        self.chromium.js("page.player.seek(0.5)")
        self.chromium.drawn()
        self.assertEqual(self.chromium.js("page.motion.slots"), 20)
        places = self.chromium.js("""Array.from({length: 20}, (_, s) => [
            ...page.motion.pose.subarray(8 * (page.motion.contactAt + s), 8 * (page.motion.contactAt + s) + 3),
            ...page.motion.wrench.subarray(8 * (page.motion.wrenches + s), 8 * (page.motion.wrenches + s) + 3)])""")
        for level in range(10):
            forces = [p[4] for p in places if abs(p[1] - 0.1 * level) < 1e-6]
            self.assertEqual(len(forces), 2)
            self.assertAlmostEqual(sum(forces), (10 - level) * 9.81, delta=1e-3)
        self.assertEqual(sorted({round(p[0], 6) for p in places}), [-0.1, 0.1])
        self.chromium.keys("c")
        self.assertFalse(self.chromium.js("page.picture.layers.contacts"))
