"""Where state lives: one home, in it one folder a workspace.

    <home>/lakelight.toml, agents.json, policy.toml, models.toml     the owner's files
    <home>/trail.key                                                 makes references in the trail
    <home>/workspaces.json                                           which token belongs to which folder
    <home>/<workspace id>/state.db                                   ledger, runs, approvals, trail
    <home>/<workspace id>/embedded.db, server.json                   an embedded workspace and its server

An `agents.json` or `policy.toml` in a workspace's own folder comes before the one in the home.
"""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lakelight.digest import sha256
from lakelight.errors import ConfigurationError

STATE_FILE = "state.db"
EMBEDDED_FILE = "embedded.db"
SERVER_FILE = "server.json"
SEEDING_FILE = "seeding"
"""Stands beside an embedded workspace from before it is made until it is furnished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A workspace that can be talked to, and the folder of its state."""

    kind: Literal["notion", "embedded"]
    folder: Path
    base_url: str
    token: str = field(repr=False)

    @property
    def state_file(self) -> Path:
        """The state database."""
        return self.folder / STATE_FILE


def make_home(home: Path) -> None:
    """Make the home if it is not there.

    Raises:
        ConfigurationError: It cannot be made or written.
    """
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(home, os.W_OK | os.X_OK):
            raise PermissionError(13, "not writable", str(home))
    except OSError as error:
        raise ConfigurationError("config.home", home=home, cause=error.strerror or str(error)) from error


def owner_file(home: Path, folder: Path | None, name: str) -> Path:
    """The owner's file `name`: the workspace's own if there is one, else the home's."""
    if folder is not None and (folder / name).exists():
        return folder / name
    return home / name


def trail_key(home: Path) -> bytes:
    """The key of this installation's references, made on first use."""
    file = home / "trail.key"
    with suppress(FileExistsError):
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(secrets.token_hex(32))
    return bytes.fromhex(file.read_text())


def known_folder(home: Path, token: str) -> Path | None:
    """The folder of the workspace that `token` belongs to, as far as it was ever used here."""
    workspace_id = _workspaces(home).get(_fingerprint(token))
    return home / workspace_id if workspace_id else None


def remember_workspace(home: Path, token: str, workspace_id: str) -> Path:
    """Note that `token` belongs to `workspace_id`; the workspace's folder, made if need be."""
    known = _workspaces(home)
    if known.get(_fingerprint(token)) != workspace_id:
        write_private(
            home / "workspaces.json", json.dumps({**known, _fingerprint(token): workspace_id}, indent=1)
        )
    folder = home / workspace_id
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def real_workspaces(home: Path) -> list[str]:
    """The ids of the workspaces in which a real token was used."""
    return sorted(set(_workspaces(home).values()))


def embedded_folder(home: Path) -> Path | None:
    """The folder of the embedded workspace, if there is one."""
    found = sorted(home.glob(f"*/{EMBEDDED_FILE}")) if home.is_dir() else []
    return found[0].parent if found else None


@contextmanager
def announced(folder: Path, url: str, token: str) -> Iterator[None]:
    """Note beside an embedded workspace that it is being served, for commands in other shells."""
    file = folder / SERVER_FILE
    write_private(file, json.dumps({"url": url, "token": token, "pid": os.getpid()}))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def running_server(home: Path) -> Place | None:
    """The embedded workspace that some process serves right now."""
    folder = embedded_folder(home)
    if folder is None:
        return None
    try:
        note = json.loads((folder / SERVER_FILE).read_text())
        os.kill(int(note["pid"]), 0)
        return Place(kind="embedded", folder=folder, base_url=str(note["url"]), token=str(note["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    fresh.replace(file)


def _workspaces(home: Path) -> dict[str, str]:
    try:
        found = json.loads((home / "workspaces.json").read_text())
        return {str(key): str(value) for key, value in found.items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _fingerprint(token: str) -> str:
    return sha256(token.encode())[:16]
