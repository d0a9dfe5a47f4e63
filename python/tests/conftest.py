"""What the tests share. DALEMBERT_TOOL names the tool to compare with."""

import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a second")


def pytest_sessionfinish(session):
    """A skip that the file SKIPS does not list is a failure (tools/run_tests)."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("SKIPS") or reporter is None:
        return
    allowed = pathlib.Path(os.environ["SKIPS"]).read_text(encoding="utf-8").splitlines()
    for report in reporter.stats.get("skipped", []):
        name = report.nodeid.split("/")[-1]
        if not any(line.startswith(name + " ") for line in allowed):
            reporter.write_line(f"{os.environ['SKIPS']} does not allow {name} to be skipped", red=True)
            session.exitstatus = 1


@pytest.fixture
def root():
    """The repository."""
    return ROOT


@pytest.fixture
def tool():
    """The command-line tool."""
    path = os.environ.get("DALEMBERT_TOOL") or shutil.which("dalembert")
    if not path:
        pytest.skip("no tool to compare with: set DALEMBERT_TOOL")
    return path
