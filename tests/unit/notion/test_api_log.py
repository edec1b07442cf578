"""The log of requests: its lines, its size, and what happens when it cannot be written."""

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

from lakelight.notion.api_log import ApiLog


def record(log: ApiLog, path: str = "/users/me") -> None:
    log.record(
        time=datetime(2026, 11, 30, 8, tzinfo=UTC),
        method="GET",
        path=path,
        status=200,
        ms=12.345,
        request_id="r-1",
    )


def test_a_request_is_one_line_that_only_the_owner_may_read(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "api.jsonl"

    record(ApiLog(file))

    assert json.loads(file.read_text()) == {
        "time": "2026-11-30T08:00:00.000Z",
        "method": "GET",
        "path": "/users/me",
        "status": 200,
        "ms": 12.3,
        "request_id": "r-1",
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_oldest_lines_give_way(tmp_path: Path) -> None:
    file = tmp_path / "api.jsonl"
    log = ApiLog(file, max_bytes=1, kept=2)

    for number in range(4):
        record(log, f"/{number}")

    assert sorted(found.name for found in tmp_path.iterdir()) == ["api.jsonl.1", "api.jsonl.2"]
    assert json.loads((tmp_path / "api.jsonl.1").read_text())["path"] == "/3"
    assert json.loads((tmp_path / "api.jsonl.2").read_text())["path"] == "/2"


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    record(ApiLog(tmp_path / "file" / "api.jsonl"))

    assert (tmp_path / "file").read_text() == ""
