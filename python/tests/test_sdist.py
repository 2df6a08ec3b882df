"""The source distribution lists what the module is built of; a part that is missing there shows only when somebody builds it."""
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_everything_that_libagon_is_built_of_is_listed():
    library = (ROOT / "CMakeLists.txt").read_text().split("if(AGON_LIBRARY_ONLY)\n  return()")[0]
    rooms = {name.split("/")[0] for name in re.findall(r"^room\((\w[\w/]*)", library, re.MULTILINE)}
    assert {"base", "vec", "solve"} <= rooms
    included = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["sdist"]["include"])
    needed = {f"/src/{room}" for room in rooms} | {"/src/games", "/share/tables", "/cmake/embed.cmake"}
    needed |= {f"/{file}" for file in re.findall(r"include\((cmake/[\w.]+)\)", library)}
    assert needed <= included, needed - included
