"""The log file: events as JSON lines, without any secret of the environment."""

import json
import logging
import logging.handlers
import os
from pathlib import Path

from lakelight.redaction import Secrets

_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class _Lines(logging.Formatter):
    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
            **{name: value for name, value in record.__dict__.items() if name not in _OWN},
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return self._secrets.clean(json.dumps(line, ensure_ascii=False, default=str))


def start_log(file: Path, level: str, secrets: Secrets) -> None:
    """Write log events to `file`, 5 MB at most, two older files kept."""
    os.close(os.open(file, os.O_CREAT | os.O_APPEND, 0o600))
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=5_000_000, backupCount=2, encoding="utf-8")
    handler.setFormatter(_Lines(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for chatty in ("httpx2", "httpcore2", "openai", "asyncio", "uvicorn"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
