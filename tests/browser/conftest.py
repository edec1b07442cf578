"""The console in a real browser: served on a port of its own, opened by the system's Chromium."""

import importlib.util
import os
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser as Chromium, sync_playwright
from starlette.types import ASGIApp

from lakelight.console.app import create_app

_scene = importlib.util.spec_from_file_location(
    "lakelight_console_scene", Path(__file__).parents[1] / "console" / "conftest.py"
)
assert _scene is not None
assert _scene.loader is not None
scene = importlib.util.module_from_spec(_scene)
sys.modules[_scene.name] = scene
_scene.loader.exec_module(scene)

house = scene.house
desk = scene.desk


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Serve `app` on a free port while the block runs; its address."""
    with closing(socket.socket()) as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, log_level="critical"))
        started = threading.Event()
        server.startup = _announced(server.startup, started)  # type: ignore[method-assign]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert started.wait(30)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)


def _announced(startup: Callable[..., Any], started: threading.Event) -> Callable[..., Any]:
    async def announced(sockets: Any = None) -> None:
        await startup(sockets=sockets)
        started.set()

    return announced


@pytest.fixture(name="serving", scope="session")
def serving_fixture() -> Callable[[ASGIApp], Any]:
    return serving


@pytest.fixture
def address(desk: Any) -> Iterator[str]:
    """Where the console is."""
    with serving(create_app(desk)) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        reason = "there is no Chromium on this machine"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()
