"""Every command in the documentation is run, and every setting, kind and code is documented.

A block marked ```sh is run, line by line in one shell, unless a comment `<!-- not run: why -->` stands before it.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from lakelight.operations import Kind
from lakelight.settings import ALIASES, Settings, load

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"(?P<before>[^\n]*)\n(?P<indent> *)```sh\n(?P<code>.*?)\n *```", re.DOTALL)
REASONS = {"needs a real token", "it is the tests", "it runs until it is stopped", "needs root"}
SLOW_TO_REPEAT = {"make check", "make test-fast", "make test", "make lock", "make bench"}
"""What runs the tests, or is run by them."""


def blocks() -> list[tuple[str, str]]:
    found, known = [], set()
    for page in PAGES:
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            skipped = re.fullmatch(r"\s*<!-- (?:not run|不运行): (.+) -->", match["before"])
            if skipped:
                continue
            lines = [line.strip() for line in match["code"].splitlines()]
            code = "\n".join(line for line in lines if line.split("#")[0].strip() not in SLOW_TO_REPEAT)
            # The Chinese pages say the same: what differs in comments alone is run once.
            bare = re.sub(r"\s+#[^\n]*", "", code)
            if code.strip() and bare not in known:
                known.add(bare)
                found.append((f"{page.relative_to(ROOT)}:{match['code'].splitlines()[0].strip()[:40]}", code))
    return found


def reasons() -> list[str]:
    return [
        reason
        for page in PAGES
        for reason in re.findall(r"<!-- not run: (.+) -->", page.read_text(encoding="utf-8"))
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("code", [code for _, code in blocks()], ids=[name for name, _ in blocks()])
def test_the_documented_commands_work(code: str, tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LAKELIGHT_", "GH_", "AGENT_", "MAKE", "MFLAGS"))
    }
    environment |= {"LAKELIGHT_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}

    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_commands_to_run() -> None:
    assert len(blocks()) >= 3


def test_a_block_is_left_out_for_a_known_reason_only() -> None:
    assert set(reasons()) <= REASONS


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    keys = [key for key, _, _ in load(Path("/nonexistent"), {}).rows()]
    undocumented = [
        key for key in keys if f"`{key}`" not in text and f"`.{key.rsplit('.', 1)[-1]}`" not in text
    ]

    assert Settings() is not None
    assert undocumented == []
    assert [name for name in ALIASES if f"`{name}`" not in text] == []


def test_every_kind_is_documented() -> None:
    text = (ROOT / "docs" / "guard.md").read_text(encoding="utf-8")

    assert [kind.value for kind in Kind if f"`{kind.value}`" not in text] == []


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")

    assert broken == []
