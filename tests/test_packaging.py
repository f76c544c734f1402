"""What is installed: every package, the data files, and the command, from any folder."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("models", "data", "runners")
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_is_listed():
    inits = [init for folder in FOLDERS for init in (ROOT / folder).rglob("__init__.py")]
    folders = {init.parent.relative_to(ROOT) for init in inits}
    assert {"nogood." + ".".join(folder.parts) for folder in folders} == set(SETUP["packages"])
    assert SETUP["package-dir"] == {"nogood." + ".".join(f.parts): f.as_posix() for f in folders}


def test_every_file_that_is_no_code_is_package_data():
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            if file.is_dir() or file.suffix == ".py" or "__pycache__" in file.parts:
                continue
            # Pictures and words for readers of the repository.
            if file.parent.name == "pictures" or file.suffix == ".md":
                continue
            package = "nogood." + ".".join(file.parent.relative_to(ROOT).parts)
            patterns = SETUP["package-data"][package]
            assert any(file.match(pattern) for pattern in patterns), file


def run(*arguments, **options):
    ran = subprocess.run(
        list(map(str, arguments)), capture_output=True, text=True, check=False, **options
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_an_installed_wheel_works_from_another_folder(tmp_path):
    """In a fresh environment that borrows only the dependencies of this one."""
    source = tmp_path / "source"
    for name in (*FOLDERS, "pyproject.toml", "README.md", "LICENSE"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name)
        else:
            source.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, source)
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path / "dist", source)
    (wheel,) = (tmp_path / "dist").glob("nogood-*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    target = tmp_path / "site"
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--target", target, wheel)
    assert sorted(f.name for f in target.iterdir() if f.name != "bin") == [
        "nogood",
        *(f.name for f in target.glob("nogood-*.dist-info")),
    ]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    borrowed = [p for p in sys.path if p.endswith("site-packages")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(target), *borrowed])}
    python = tmp_path / "venv" / "bin" / "python"

    def there(*arguments):
        return run(python, "-P", *arguments, cwd=elsewhere, env=environment)

    where = there("-c", "import nogood.data; print(nogood.data.__file__)").strip()
    assert Path(where).is_relative_to(target)
    load = "from nogood.data import load_square, square_names as names; print(*names())\n"
    load += "print([len(load_square(name)) for name in names()])"
    assert there("-c", load).splitlines() == ["durer franklin lo-shu reto2", "[4, 8, 3, 8]"]
    assert "reto2" in there(target / "bin" / "nogood", "list")
    arguments = ("enumerate", "queens", "--square", "durer", "--total", "magic", "--json")
    assert '"count": 2' in there(target / "bin" / "nogood", *arguments)
