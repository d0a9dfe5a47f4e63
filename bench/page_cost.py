#!/usr/bin/env python3
"""Script time of a frame of a page with 4000 links: bench/page_cost.py PATH_OF_dalembert. Needs what tools/deps browser installs."""
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "test" / "browser"))
import browser  # noqa: E402


def main():
    """Play the page, take the median of the frames."""
    lacks = browser.missing()
    if lacks:
        print(f"pages: not measured, {lacks} (tools/deps browser)")
        return
    with tempfile.TemporaryDirectory() as folder:
        tool, chromium = browser.Tool(pathlib.Path(sys.argv[1]).resolve(), folder), browser.Browser(folder)
        try:
            chromium.open(tool.page("chain", "run", "chain", "--set", "N=4000", "--t-end", "0.02", "-q", "--html"))
            chromium.js("(page.cost = [], page.player.playing || page.player.toggle())")
            chromium.until("page.cost.length >= 100", 240)
            print(f"\nPages: a frame of 4000 links takes {statistics.median(chromium.js('page.cost.slice(8)')):.2f} ms of script")
        finally:
            chromium.close()


if __name__ == "__main__":
    main()
