"""A headless Chromium, the tool, and what the tests of pages share."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
except ImportError:
    # Debian's package is for Debian's interpreter
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    webdriver = None

SWITCHES = ("--headless=new --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader "
            "--disable-background-networking --disable-component-update --disable-sync --no-first-run "
            "--disable-dev-shm-usage --hide-scrollbars --window-size=1300,800").split()


def missing():
    """What is not there, in words; None: nothing is missing."""
    if webdriver is None:
        return "python3-selenium is not installed"
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return None


class Tool:
    """The tool; pages are made once and kept under a name."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.made = {}

    def run(self, *words, code=0):
        """Run the tool in the folder; its stdout and stderr."""
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              check=False)
        if done.returncode != code:
            raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}, not {code}\n{done.stderr}")
        return done.stdout, done.stderr

    def page(self, name, *words, code=0):
        """The page `name`, made by these words with the file at their end."""
        if name not in self.made:
            path = self.folder / f"{name}.html"
            self.run(*words, str(path), code=code)
            self.made[name] = path
        return self.made[name]

    def table(self, path):
        """Columns of a CSV file by their names without units."""
        lines = (self.folder / path).read_text().splitlines()
        names = [name.split(" [")[0] for name in lines[0].split(",")]
        rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}


class Browser:
    """Chromium with an empty profile; what it downloads lies in `folder`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        options = webdriver.ChromeOptions()
        for switch in SWITCHES:
            options.add_argument(switch)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option("prefs", {"download.default_directory": str(self.folder.resolve())})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(60)

    def close(self):
        """End it."""
        self.driver.quit()

    def open(self, path):
        """Load a page and wait for its first picture."""
        self.driver.get_log("browser")
        self.driver.get(pathlib.Path(path).resolve().as_uri())
        self.until("window.dalembert && (!window.dalembert.picture || window.dalembert.cost.length > 0)")

    def errors(self):
        """What the console complained about; hints of the driver about its speed are none."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING") and "GL Driver Message" not in entry["message"]]

    def js(self, text, *arguments):
        """The value of an expression; `page` is window.dalembert, `given` the arguments."""
        return self.driver.execute_script(f"const page = window.dalembert, given = arguments; return {text};", *arguments)

    def until(self, condition, seconds=40):
        """Wait for an expression to become true."""
        end = time.monotonic() + seconds
        while not self.driver.execute_script(f"const page = window.dalembert; return Boolean({condition});"):
            if time.monotonic() > end:
                raise AssertionError(f"not in {seconds} s: {condition}; console: {self.errors()}")
            time.sleep(0.05)

    def drawn(self):
        """Wait until what changed has been drawn."""
        self.until("!page.picture || !page.dirty")

    def element(self, selector):
        """The first element of a CSS selector."""
        return self.driver.find_element("css selector", selector)

    def click_at(self, selector, x, y):
        """Click at a place of an element, in pixels from its upper left corner."""
        element = self.element(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        size = self.driver.execute_script("const r = arguments[0].getBoundingClientRect(); return [r.width, r.height];",
                                          element)
        move = ActionChains(self.driver, duration=0)
        move.move_to_element_with_offset(element, round(x - size[0] / 2), round(y - size[1] / 2)).click().perform()

    def keys(self, text):
        """Type on the page."""
        ActionChains(self.driver, duration=0).send_keys(text).perform()

    def picture(self, name):
        """Keep a screenshot."""
        path = self.folder / f"{name}.png"
        path.write_bytes(base64.b64decode(self.driver.get_screenshot_as_base64()))
        return path

    def downloaded(self, name, seconds=60):
        """The bytes of a file that the page saved."""
        path = self.folder / name
        end = time.monotonic() + seconds
        while not path.exists() or path.stat().st_size == 0:
            if time.monotonic() > end:
                raise AssertionError(f"{name} was not saved in {seconds} s; console: {self.errors()}")
            time.sleep(0.1)
        return path.read_bytes()


def data_of(path):
    """The text of the data of a page, and the number of bytes of everything else."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", start)
    return text[start:end], len(text.encode()) - len(text[start:end].encode())


def scene_of(path):
    """The data of a page."""
    return json.loads(data_of(path)[0])
