"""What the tests share. DALEMBERT_TOOL names the tool to compare with."""

import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a second")


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
