"""Memory and processor time of an idle `lakelight up` with its embedded workspace, beside DBOS alone."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"
WATCH = 20.0
BARE = """
import sys, time
from dbos import DBOS
url = f"sqlite:///{sys.argv[1]}/bare.db"
DBOS(config={"name": "bare", "system_database_url": url, "log_level": "CRITICAL"})
DBOS.launch()
time.sleep(600)
"""


def watch(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Resident megabytes and percent of a core, after half a minute of settling and watching."""
    child = psutil.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(8)
        child.cpu_percent()
        time.sleep(WATCH)
        return child.memory_info().rss / 1e6, child.cpu_percent()
    finally:
        child.terminate()
        child.wait(20)


def main() -> None:
    """Print one row each."""
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "LAKELIGHT_HOME": f"{place}/state"}
        for name in ("GH_NOTION_TOKEN", "GH_LLM_API_KEY", "GH_LLM_BASE_URL"):
            environment.pop(name, None)
        ours = watch([str(PYTHON), "-P", "-m", "lakelight", "up"], environment)
        bare = watch([str(PYTHON), "-c", BARE, place], environment)
        with_model = watch(
            [str(PYTHON), "-P", "-m", "lakelight", "up"],
            {**environment, "GH_LLM_BASE_URL": "http://127.0.0.1:9/v1"},
        )
    for name, (megabytes, percent) in (
        ("lakelight up, idle", ours),
        ("the same with a model set up", with_model),
        ("DBOS alone, launched", bare),
    ):
        ratio = megabytes / bare[0]
        print(f"{name:30} {megabytes:5.0f} MB ({ratio:.2f} x DBOS alone)  {percent:4.1f} % of a core")
    if ours[0] > 1000:
        sys.exit("that cannot be right")


if __name__ == "__main__":
    main()
