#!/usr/bin/env python3
"""tools/gallery/gallery.py TOOL: pictures of the built-in models, docs/gallery.md, the sample report (needs Chromium).

Each model runs with its own settings; the picture is taken at a share of the time that shows something.
"""
import base64
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test/browser"))
import browser  # noqa: E402  pylint: disable=wrong-import-position

SHARE = {"bricard": 0.2, "chain": 0.38, "chaplygin_sleigh": 0.75, "double_pendulum": 0.4, "flexible_pendulum": 0.6, "flying_spaghetti": 0.75,
         "free_top": 0.26, "heavy_top": 0.35, "lee_frame": 0.9, "nonholonomic_particle": 0.8, "rolling_disk": 0.4, "spatial_slider_crank": 0.05,
         "spinning_beam": 0.62}


def still(chromium, page, share):
    """The picture of the page at a share of its time, as PNG."""
    chromium.open(page)
    chromium.js("(page.setDark(false), page.player.seek(page.motion.start + given[0]*(page.motion.end - page.motion.start)))",
                share)
    chromium.js("(document.body.classList.add('bare'), page.fit())")
    text = chromium.driver.execute_async_script("""
        const done = arguments[0], page = window.dalembert, canvas = page.picture.renderer.canvas;
        canvas.style.width = "480px";
        canvas.style.height = "320px";
        page.fit();
        page.picture.draw(page.player.time);
        const out = document.createElement("canvas");
        out.width = 480;
        out.height = 320;
        out.getContext("2d").drawImage(canvas, 0, 0, 480, 320);
        done(out.toDataURL("image/png").split(",")[1]);""")
    return base64.b64decode(text)


def main():
    """Write pictures and pages."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    lacks = browser.missing()
    if lacks:
        print(f"gallery: {lacks}; tools/deps browser installs it", file=sys.stderr)
        return 1
    tool = pathlib.Path(sys.argv[1]).resolve()
    listing = subprocess.run([tool, "models"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listing.splitlines() if line.strip()]
    pictures = ROOT / "docs/figures/gallery"
    pictures.mkdir(parents=True, exist_ok=True)
    lines = ["# Gallery", "", "Built-in models as their pages show them, drawn by `make figures`. `dalembert gallery` makes a page of all of them. To see one move:",
             "`dalembert run NAME --html NAME.html`, and open the file in a browser.", ""]
    with tempfile.TemporaryDirectory() as folder:
        made = browser.Tool(str(tool), folder)
        chromium = browser.Browser(folder)
        try:
            for name in names:
                page = made.page(name, "run", name, "-q", "--html")
                (pictures / f"{name}.png").write_bytes(still(chromium, page, SHARE.get(name, 0.3)))
                title = browser.scene_of(page)["title"]
                lines += [f"## {name}", "", f"{title}. [Model](../models/{name}.json)", "",
                          f"![{title}](figures/gallery/{name}.png)", ""]
            page = made.page("sample", "run", "spatial_slider_crank", "--t-end", "1.5", "-q", "--html")
            (ROOT / "docs/sample_report.html").write_bytes(page.read_bytes())
            chromium.open(page)
            chromium.js("(page.setDark(false), page.toggleLayer('reactions'), page.player.seek(0.25))")
            chromium.drawn()
            chromium.driver.set_window_size(1200, 720)
            chromium.drawn()
            chromium.js("page.fit()")
            chromium.drawn()
            (ROOT / "docs/figures/page.png").write_bytes(base64.b64decode(chromium.driver.get_screenshot_as_base64()))
        finally:
            chromium.close()
    (ROOT / "docs/gallery.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
