"""Batches that generated programs step: in lanes, and as device code, which a compiler of the host takes where there is no GPU."""

import shutil

import numpy as np
import pytest
from test_batch import cart

import dalembert

HOST = """#!/bin/sh
out=
for a; do
    case $1 in
    -o) out=$2; shift ;;
    *.cu) source=$1 ;;
    esac
    shift
    [ $# -gt 0 ] || break
done
exec cc -x c -std=c17 -O0 -w -ffp-contract=off -shared -fPIC -o "$out" "$source" -lm
"""


@pytest.fixture(scope="module", autouse=True)
def compilers(tmp_path_factory):
    """A cache for the programs of these tests, and what stands for nvcc."""
    folder = tmp_path_factory.mktemp("cache")
    script = folder / "nvcc"
    script.write_text(HOST)
    script.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv("DAL_CFLAGS", "-O0")
        if not (shutil.which("nvcc") and shutil.which("nvidia-smi")):
            patch.setenv("DAL_NVCC", str(script))
        yield


def drive(b, rounds=25):
    """Inputs of some members that change, steps, and members that are started anew on the way."""
    rng = np.random.default_rng(4)
    n = len(b)
    for k in range(rounds):
        some = rng.random(n) < 0.5
        b.inputs[some, 0] = rng.uniform(-20, 20, n)[some]
        b.step(int(rng.integers(1, 4)))
        if k % 6 == 5:
            b.reset(rng.random(n) < 0.3)
    return b


@pytest.mark.parametrize("backend", ["lanes", "cuda"])
def test_programs_give_the_numbers_of_the_library(backend):
    params = {"k": np.linspace(1, 4, 11)}
    want, got = (drive(dalembert.batch(cart(), 11, outputs=["energy", "bob.position"], params=params, newton="full", backend=each))
                 for each in ("threads", backend))
    assert got.ok.all() and np.ptp(got.t) > 0 and np.ptp(got.q[:, 0]) > 1e-4
    np.testing.assert_array_equal(got.t, want.t)
    for name, tolerance in (("q", 1e-13), ("v", 1e-12), ("vd", 1e-9), ("la", 1e-9)):
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), rtol=0, atol=tolerance)
    np.testing.assert_allclose(got["bob.position"], want["bob.position"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(got["energy"], want["energy"], rtol=0, atol=1e-12)


def test_masses_that_differ_leave_the_scales_of_the_first_member():
    """Scales (docs/theory/scales.md) are constants of a program, and the ggl formulation has them in its equations: an effect far below the error of the method."""
    params = {"m": [2.0, 2.5, 3.0]}
    want, got = (drive(dalembert.batch(cart(), 3, params=params, newton="full", backend=each)) for each in ("threads", "lanes"))
    np.testing.assert_allclose(got.q[0], want.q[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(got.q, want.q, rtol=0, atol=1e-8)
    want, got = (drive(dalembert.batch(cart(), 3, params=params, newton="full", backend=each, formulation="index2")) for each in ("threads", "lanes"))
    np.testing.assert_allclose(got.q, want.q, rtol=0, atol=1e-13)


def test_members_do_not_depend_on_threads_and_neighbours():
    one, many = (drive(dalembert.batch(cart(), 13, backend="lanes", threads=threads)) for threads in (1, 3))
    np.testing.assert_array_equal(one.q, many.q)
    alone = dalembert.batch(cart(), 1, backend="lanes")
    rng, u = np.random.default_rng(4), 0.0
    for k in range(25):  # what `drive` does to member 5
        some = rng.random(13) < 0.5
        drawn = rng.uniform(-20, 20, 13)[5]
        u = drawn if some[5] else u
        alone.inputs[0, 0] = u
        alone.step(int(rng.integers(1, 4)))
        if k % 6 == 5 and (rng.random(13) < 0.3)[5]:
            alone.reset()
    for name in ("t", "q", "v", "vd", "la"):
        np.testing.assert_array_equal(getattr(alone, name)[0], getattr(one, name)[5])


def test_arrays_stay_and_starts_are_those_of_the_library():
    want, got = (dalembert.batch(cart(), 5, outputs="energy", backend=each) for each in ("threads", "lanes"))
    q, place = got.q, got.q.ctypes.data
    np.testing.assert_array_equal(got["energy"], want["energy"])
    v = np.zeros_like(got.v)
    v[:, 0] = np.arange(5)  # along the rail
    for b in (want, got):
        b.reset([True, True, False, True, True], q=b.q.copy(), v=v)
    np.testing.assert_array_equal(got.v, want.v)
    want.advance(0.01)
    got.advance(0.01)
    assert got.q is q and q.ctypes.data == place
    np.testing.assert_allclose(got.q, want.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(got.t, 0.01, rtol=1e-14)
    with pytest.raises(ValueError, match="whole number of steps"):
        got.advance(0.0015)


def test_a_member_that_fails_stands_still():
    b = dalembert.batch(cart(), 3, backend="lanes")
    b.step(2)
    q = np.tile(b.q[0], (3, 1))
    q[1] = np.nan
    b.reset([False, True, False], q=q)
    np.testing.assert_array_equal(b.ok, [True, False, True])
    assert "finite" in b.message(1) and b.message(0) is None
    b.set(u=3)
    b.step()
    np.testing.assert_allclose(b.t[[0, 2]], 3e-3)
    assert not b.ok[1]
    b.reset(~b.ok)
    assert b.ok.all() and b.t[1] == 0


def test_what_programs_do_not_have_is_refused_by_name(monkeypatch):
    with pytest.raises(ValueError, match="backend is one of threads, lanes, cuda, not 'gpu'"):
        dalembert.batch("heavy_top", 2, h=1e-3, backend="gpu")
    with pytest.raises(dalembert.Error, match="'floor' is of type contact"):
        dalembert.batch("bouncing_ball", 2, h=1e-3, backend="lanes")
    with pytest.raises(dalembert.Error, match="step size"):
        dalembert.batch("heavy_top", 2, step="adaptive", backend="lanes")
    monkeypatch.setenv("DAL_NVCC", "/nowhere/nvcc")
    with pytest.raises(dalembert.OptionError, match="no compiler '/nowhere/nvcc'.*CUDA toolkit"):
        dalembert.batch("heavy_top", 2, h=1.1e-3, backend="cuda")
    monkeypatch.setenv("DAL_CC", "/nowhere/cc")
    with pytest.raises(dalembert.OptionError, match="no compiler '/nowhere/cc'"):
        dalembert.batch("heavy_top", 2, h=1.1e-3, backend="lanes")
