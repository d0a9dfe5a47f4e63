"""The code in the manual runs."""

import re

import pytest

import dalembert

pytest.importorskip("matplotlib").use("Agg")


def blocks(root):
    text = (root / "docs" / "user" / "python.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.S)


def test_every_block_of_the_page_runs_by_itself(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(root)
    assert len(found) >= 7
    for block in found:
        exec(compile(block, "docs/user/python.md", "exec"), {})  # pylint: disable=exec-used
    assert (tmp_path / "top.html").stat().st_size > 10_000 and (tmp_path / "sweep.png").stat().st_size > 5_000
    assert (tmp_path / "rod.json").exists() and (tmp_path / "top.h5").exists()


def test_a_first_result_and_a_sweep_take_ten_lines(root):
    first, sweep = blocks(root)[:2]
    for block in (first, sweep):
        assert len([line for line in block.splitlines() if line.strip()]) <= 10


def test_what_is_exported_has_a_docstring():
    for name in dalembert.__all__:
        assert getattr(dalembert, name).__doc__, name
    for name, member in vars(dalembert.Simulation).items():
        if not name.startswith("_") and callable(member):
            assert member.__doc__, name
