"""`pip install .` gives both commands and everything they need at run time; the locks name no host."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_an_installed_package_has_both_commands_and_their_data(tmp_path: Path) -> None:
    target = tmp_path / "site"
    install = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        str(target),
    ]
    subprocess.run([sys.executable, "-m", "pip", *install, str(ROOT)], check=True, cwd=tmp_path)

    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(target)}
    demo = subprocess.run(
        [sys.executable, "-P", str(target / "bin" / "lakelight"), "demo", "--once", "--json"],
        check=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=150,
    )
    embedded = subprocess.run(
        [sys.executable, "-P", str(target / "bin" / "notion-embedded"), "--help"],
        check=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )

    assert '"done": 7' in demo.stdout
    assert "serve" in embedded.stdout
    sources = {
        file.relative_to(ROOT / "src")
        for file in (ROOT / "src").rglob("*.*")
        if "__pycache__" not in str(file)
    }
    installed = {file.relative_to(target) for file in target.rglob("*.*")}
    assert sources - installed == set()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_pins_every_requirement_by_hash_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())

    assert "://" not in text
    assert len(entries) > 20
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['lakelight', '--help']\n"
        "from lakelight.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)

    heavy = {"dbos", "openai", "pydantic", "sqlalchemy", "httpx2", "starlette", "uvicorn", "rich", "jinja2"}
    assert [name for name in heavy if f"'{name}'" in done.stderr] == []


def test_nothing_in_the_repository_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    places = ["/wo" + "rk/", "/fa" + "rm/", "pypi" + ".org", "files.python" + "hosted", "registry.npm" + "js"]

    found = [
        f"{name}: {place}"
        for name in listed.stdout.splitlines()
        if (ROOT / name).is_file()
        for place in places
        if place in (ROOT / name).read_text(encoding="utf-8", errors="replace")
    ]

    assert found == []
