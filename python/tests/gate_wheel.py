"""The wheel and the sdist of `make wheel`, in dist/: their contents, and both in empty environments. `tools/gate python`."""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
PROGRAM = """
import sys, numpy
before = set(sys.modules)
import agon
assert not any(name.startswith(("gymnasium", "pettingzoo")) for name in sys.modules)
v = agon.vec("coup", 64, seed=1, threads=2, autoreset="same_step")
v.reset()
for _ in range(100):
    assert v.step(v.sample()) == 0
print(agon.__file__, v.hashes[0])
"""


def only(pattern):
    found = list(DIST.glob(pattern))
    assert len(found) == 1, f"make wheel first: {found}"
    return found[0]


def run(*command, **options):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}
    done = subprocess.run(command, capture_output=True, text=True, env=env, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel():
    """V40: one file for the stable ABI of 3.11, with the platform that auditwheel found, stubs, and nothing to link with."""
    wheel = only("*.whl")
    assert re.fullmatch(r"agon-[\d.]+-cp311-abi3-manylinux_2_\d+_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        module = file.read("agon/_agon.abi3.so")
        metadata = next(file.read(name).decode() for name in names if name.endswith("/METADATA"))
    for name in ("__init__.py", "_vec.py", "gym.py", "zoo.py", "py.typed", "__init__.pyi", "_agon.pyi", "_vec.pyi", "gym.pyi"):
        assert f"agon/{name}" in names
    assert not any("libs/" in name or name.endswith(".c") for name in names)
    assert "Requires-Python: >=3.11" in metadata and "entry" not in metadata
    assert not any(name.endswith("entry_points.txt") for name in names)  # V50
    path = ROOT / "out/wheel-module.so"
    path.write_bytes(module)
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", path))
    assert set(needed) <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}
    exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines()]
    assert exported == ["PyInit__agon"]


def test_the_sdist():
    with tarfile.open(only("*.tar.gz")) as file:
        names = [name.split("/", 1)[1] for name in file.getnames() if "/" in name]
    assert "src/vec/step.c" in names and "python/src/batch.c" in names and "LICENSE" in names
    assert not any(re.match(r"out/|build/|test/|page/|src/(app|net|store)/", name) for name in names)


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_in_an_empty_environment(kind, tmp_path):
    """Installed by pip with nothing but its dependency; the sdist is built with the system's compiler."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv/bin/python")
    run(python, "-m", "pip", "install", "--quiet", str(only(kind)), cwd=tmp_path)
    place, shown = run(python, "-c", PROGRAM, cwd=tmp_path).split()
    assert place.startswith(str(tmp_path))
    here = run(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'out/python')!r})" + PROGRAM)
    assert here.split()[1] == shown


def test_free_threaded_python_is_refused(tmp_path):
    """V40: with one sentence. A script that says what such an interpreter says stands in for one."""
    fake = tmp_path / "python3"
    fake.write_text(f'#!/bin/sh\ncase "$*" in *Py_GIL_DISABLED*) echo 1 ;; *) exec "{sys.executable}" "$@" ;; esac\n')
    fake.chmod(0o755)
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path / "build", "-DAGON_LIBRARY_ONLY=ON", "-DAGON_TESTS=OFF",
                           f"-DPython_EXECUTABLE={fake}"], capture_output=True, text=True)  # fmt: skip
    assert done.returncode != 0
    assert "agon has no build for free-threaded Python: use an interpreter with the GIL" in " ".join(done.stderr.split())


def test_stubs_match():
    """mypy's stubtest compares the stubs with what is there."""
    pytest.importorskip("mypy")
    env = {**os.environ, "PYTHONPATH": str(ROOT / "out/python"), "MYPYPATH": str(ROOT / "out/python")}
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "agon", "--allowlist", ROOT / "python/tests/stubtest.txt",
                           "--ignore-missing-stub", "--ignore-unused-allowlist", "--mypy-config-file", ROOT / "pyproject.toml"],
                          capture_output=True, text=True, env=env, cwd=ROOT / "out")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
