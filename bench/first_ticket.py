"""Seconds to the first finished ticket of the demo: once installed, and from an empty home.

python bench/first_ticket.py            once installed
python bench/first_ticket.py --fresh    a fresh clone, an empty home: `make demo` does everything
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def seconds_to_first(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds until a line says that a ticket is done, and until the end."""
    start = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    first = 0.0
    assert child.stderr is not None
    for line in child.stderr:
        if not first and "· done ·" in line:
            first = time.perf_counter() - start
    if child.wait() != 0 or not first:
        sys.exit("the demo finished no ticket")
    return first, time.perf_counter() - start


def main() -> None:
    """Print one row."""
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "LAKELIGHT_HOME": f"{place}/state", "LC_ALL": "C.UTF-8"}
        if "--fresh" in sys.argv:
            clone = Path(place, "clone")
            subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
            environment |= {"HOME": f"{place}/home"}
            Path(place, "home").mkdir()
            command, folder = ["make", "demo", "ARGS=--once"], clone
        else:
            command, folder = [str(ROOT / ".venv/bin/lakelight"), "demo", "--once"], ROOT
        first, whole = seconds_to_first(command, folder, environment)
    start = time.perf_counter()
    subprocess.run([ROOT / ".venv/bin/python", "-c", "import dbos, starlette, uvicorn, httpx2"], check=True)
    imports = time.perf_counter() - start
    print(f"first finished ticket {first:.1f} s, everything {whole:.1f} s")
    print(
        f"importing the libraries alone {imports:.2f} s: the first ticket takes {first / imports:.1f} x that"
    )


if __name__ == "__main__":
    main()
