#!/usr/bin/env python3
"""Pages of the tool in a real browser: test/browser/run.py TOOL FOLDER [unittest arguments].

Pages, screenshots and what the pages export are left in FOLDER. Exit status 77 (skipped) if there is no browser.
"""
import os
import pathlib
import shutil
import sys
import unittest

import browser


def main():
    """Run all tests in one browser."""
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    lacks = browser.missing()
    if lacks:
        print(f"skipped: {lacks}; tools/deps browser installs what the tests of pages need")
        return 77
    folder = pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    browser.tool = browser.Tool(os.path.abspath(sys.argv[1]), folder)
    browser.chromium = browser.Browser(folder)
    try:
        here = str(pathlib.Path(__file__).resolve().parent)
        suite = unittest.defaultTestLoader.discover(here, pattern="test_*.py")
        if len(sys.argv) > 3:
            suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[3:])
        good = unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()
    finally:
        browser.chromium.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
