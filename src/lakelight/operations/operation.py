"""A write as a value: what was decided on, executed and recorded is the same bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from lakelight.digest import canonical, sha256
from lakelight.operations.kinds import Kind

Method = Literal["POST", "PATCH", "DELETE"]
_METHODS: tuple[Method, ...] = ("POST", "PATCH", "DELETE")
_KEYS = frozenset({"id", "kind", "target", "method", "path", "body"})


@dataclass(frozen=True, slots=True)
class Request:
    """What goes out: a path below `/v1`, and a body in canonical JSON."""

    method: Method
    path: str
    body: str

    @property
    def content(self) -> dict[str, Any]:
        """The body, read."""
        content = json.loads(self.body)
        if not isinstance(content, dict):
            raise ValueError("a body is an object")  # noqa: TRY004 - malformed JSON is a ValueError too
        return content


def request(method: Method, path: str, body: Mapping[str, object] | None = None) -> Request:
    """The request with its body brought into canonical form."""
    return Request(method, path, canonical(body or {}).decode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One intended effect. Frozen when it is planned, and sent as it stands."""

    id: str
    kind: Kind
    target: str
    """The id of the page, block or data source that the effect falls on."""
    request: Request

    @property
    def payload_hash(self) -> str:
        """The SHA-256 over kind, target and request: what an approval and a permit are bound to."""
        return sha256(
            canonical(
                [self.kind, self.target, self.request.method, self.request.path, self.request.body],
            )
        )

    def dump(self) -> str:
        """The operation as canonical JSON, for a row."""
        return canonical(
            {
                "id": self.id,
                "kind": self.kind,
                "target": self.target,
                "method": self.request.method,
                "path": self.request.path,
                "body": self.request.body,
            }
        ).decode()

    @classmethod
    def load(cls, text: str) -> Self:
        """The operation that `dump` wrote.

        Raises:
            ValueError: `text` is not such an operation.
        """
        row = json.loads(text)
        if not isinstance(row, dict) or any(not isinstance(row.get(key), str) for key in _KEYS):
            raise ValueError("no operation")
        if row["method"] not in _METHODS:
            raise ValueError(f"no writing method: {row['method']!r}")
        return cls(
            id=row["id"],
            kind=Kind(row["kind"]),
            target=row["target"],
            request=Request(row["method"], row["path"], row["body"]),
        )
