"""Results: the tables of the tool, files, pages, pictures."""

import csv
import json
import subprocess

import numpy as np
import pytest

import dalembert


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = [name.split(" [")[0] for name in rows[0]]
    return names, np.array([[float(x) for x in row] for row in rows[1:]])


def test_rows_are_those_of_the_tool_bit_for_bit(tool, tmp_path):
    for model, options in (("spatial_slider_crank", []), ("heavy_top", ["formulation=ggl"])):
        out = tmp_path / model
        command = [tool, "run", model, "--t-end", "0.1", "--h", "1e-3", "-q", "-o", str(out)]
        for option in options:
            command += ["--set", option]
        subprocess.run(command, check=True)
        result = dalembert.simulate(model, t_end=0.1, h=1e-3, **dict(o.split("=") for o in options))
        for name in ("outputs", "bodies", "state", "monitor"):
            columns, values = table(out / f"{name}.csv")
            np.testing.assert_array_equal(values[:, 0], result.t)
            for k, column in enumerate(columns[1:], 1):
                if not (name == "monitor" and column == "energy"):  # an output has the name, too
                    np.testing.assert_array_equal(values[:, k], result[column], err_msg=column)


def test_saved_files_are_read_by_the_tool(tool, tmp_path):
    result = dalembert.simulate("spatial_slider_crank", t_end=0.1, h=1e-3)
    result.save(tmp_path / "crank.h5")
    result.save(tmp_path / "folder")
    result.save(tmp_path / "crank.csv")
    for path in ("crank.h5", "folder"):
        page = tmp_path / f"{path}.html"
        subprocess.run([tool, "report", str(tmp_path / path), "-o", str(page)], check=True, capture_output=True)
        assert page.stat().st_size > 1000
    columns, values = table(tmp_path / "crank.csv")
    np.testing.assert_array_equal(values[:, columns.index("slider.position.x")], result["slider.position.x"])
    again = dalembert.read(tmp_path / "crank.h5")
    np.testing.assert_array_equal(again["slider.position.x"], result["slider.position.x"])
    np.testing.assert_array_equal(again["t"], result.t)
    assert json.loads((tmp_path / "folder" / "statistics.json").read_text())["steps"] == 100


def test_files_that_cannot_be_written_are_named(tmp_path):
    result = dalembert.simulate("pendulum", t_end=0.01)
    (tmp_path / "taken").write_text("x")
    with pytest.raises(dalembert.FileError, match="taken"):
        result.save(tmp_path / "taken" / "x.h5")
    with pytest.raises(OSError):
        result.html(tmp_path / "taken" / "x.html")
    with pytest.raises(dalembert.FileError):
        dalembert.read(tmp_path / "nothing.h5")


def test_page_shows_the_mechanism(tmp_path):
    result = dalembert.simulate("spatial_slider_crank", t_end=0.2, h=1e-3)
    page = result.html()
    assert result.html(tmp_path / "x.html") and (tmp_path / "x.html").read_text(encoding="utf-8") == page
    assert "slider.position" in page and len(page) < 5_000_000
    frame = result._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "<script" not in frame


def test_tables_can_be_chosen():
    result = dalembert.simulate("spatial_slider_crank", t_end=0.01, tables=["outputs"])
    assert "slider.position" in result and "rod.x" not in result
    with pytest.raises(KeyError, match="not recorded"):
        result.q
    with pytest.raises(ValueError, match="no table"):
        dalembert.simulate("pendulum", tables=["nothing"])
    assert dalembert.simulate("pendulum", t_end=0.01, tables="state").q.shape[1] > 0


def test_arrays_are_views_of_one_block():
    result = dalembert.simulate("heavy_top", t_end=0.01)
    assert result.q.base is result.t.base is result["tip.force"].base is not None


def test_names_and_units():
    result = dalembert.simulate("heavy_top", t_end=0.01)
    assert result.unit("top.velocity") == "m/s" == result.unit("top.velocity.x")
    assert "top.position" in result and "nonsense" not in result and 3 not in result
    with pytest.raises(KeyError, match="did you mean 'top.position'"):
        result["top.positon"]
    with pytest.raises(TypeError):
        result[0]
    assert "1001" not in repr(result) and "11 rows" in repr(result)


def test_pandas_has_the_columns():
    pytest.importorskip("pandas")
    result = dalembert.simulate("heavy_top", t_end=0.01)
    frame = result.to_pandas()
    assert frame.index.name == "t" and len(frame) == 11
    np.testing.assert_array_equal(frame["top.position.x"], result["top.position.x"])


def test_plots_draw_every_component():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    result = dalembert.simulate("heavy_top", t_end=0.01)
    axis = result.plot("top.position")
    assert [line.get_label() for line in axis.get_lines()] == [f"top.position.{x}" for x in "xyz"]
    assert axis.get_ylabel() == "m"
    assert len(result.plot()) >= 3
    import matplotlib.pyplot as plt

    _, mine = plt.subplots()
    assert result.plot("energy", ax=mine) is mine
    plt.close("all")
