"""What may stand in the trail: the names of events, and what each field may hold.

Redaction is by allow-list: a field that this table does not name is not stored, and a value
that is not of its field's kind is not stored either. There is no field for free text, so the
words of a page, an exception's text or a token have no place to go.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lakelight.operations import Kind, Level, Risk

EVENTS = frozenset(
    {
        "guard.decision",
        "guard.denied",
        "confirmation.requested",
        "confirmation.granted",
        "confirmation.declined",
        "confirmation.invalid",
        "confirmation.superseded",
        "undo.applied",
        "write.page.created",
        "write.block.inserted",
        "write.property.updated",
        "write.done",
        "write.refused",
        "write.unsent",
        "write.unknown",
        "write.found",
        "write.overtaken",
        "auth.failed",
        "policy.loaded",
        "audit.enabled",
        "audit.degraded",
        "audit.recovered",
        "ticket.claimed",
        "ticket.finished",
    }
)
ACTORS = frozenset({"user", "ai", "system"})
SOURCES = frozenset({"tickets", "chat", "demo", "cli", "daemon", "executor"})

_HASH = re.compile(r"[0-9a-f]{64}")
_OWN_ID = re.compile(r"(op|run|evt)_[0-9a-z]{26}")


@dataclass(frozen=True, slots=True)
class Sink:
    """Turns fields into what may be stored, with a list of what was taken out.

    `key` makes references: the same id gives the same reference in this installation and
    none that can be turned back. `names` are the roster's names, the only names stored in clear.
    """

    key: bytes
    names: frozenset[str]

    def reference(self, identifier: str) -> str:
        """16 hexadecimal digits that stand for `identifier`."""
        return hmac.new(self.key, identifier.encode(), hashlib.sha256).hexdigest()[:16]

    def clean(self, fields: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
        """What may be stored of `fields`, and the sorted names of what was replaced or dropped.

        A field that the table does not name is not named in the second list either: it is `other`.
        """
        kept: dict[str, object] = {}
        redacted: set[str] = set()
        for name, value in fields.items():
            rule = _FIELDS.get(name)
            stored = rule(self, value) if rule else None
            if stored is not None:
                kept[name] = stored
            if stored != value or rule is None:
                redacted.add(name if rule else "other")
        return kept, sorted(redacted)


_Rule = Callable[[Sink, Any], object | None]


def _whole_number(_sink: Sink, value: Any) -> object | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else None


def _hash(_sink: Sink, value: Any) -> object | None:
    return value if isinstance(value, str) and _HASH.fullmatch(value) else None


def _own_id(_sink: Sink, value: Any) -> object | None:
    return value if isinstance(value, str) and _OWN_ID.fullmatch(value) else None


def _reference(sink: Sink, value: Any) -> object | None:
    return sink.reference(value) if isinstance(value, str) and value else None


def _name(sink: Sink, value: Any) -> object | None:
    if not isinstance(value, str) or not value:
        return None
    return value if value in sink.names else sink.reference(value)


def _word(*words: str) -> _Rule:
    allowed = frozenset(words)
    return lambda _sink, value: str(value) if isinstance(value, str) and value in allowed else None


_FIELDS: Mapping[str, _Rule] = {
    "agent": _name,
    "run": _own_id,
    "approval": _whole_number,
    "guard.decision": _word("allow", "confirm_required", "preview_only", "deny"),
    "guard.reason": _word(
        "unknown_effect",
        "other_effect",
        "level",
        "out_of_scope",
        "scope_unresolved",
        "forbidden",
        "sign_in",
        "trail",
        "frozen",
        "preview_mode",
        "too_many",
        "many",
        "risk",
        "ask",
        "approval_invalid",
        "system_risk",
    ),
    "guard.permissionLevel": _word(*(level.name.lower() for level in Level)),
    "guard.requiredLevel": _word(*(level.name.lower() for level in Level)),
    "guard.confirmation": _word("not_required", "required", "granted"),
    "guard.policyHash": _hash,
    "operation.id": _own_id,
    "operation.name": _word(*Kind),
    "operation.risk": _word(*(risk.name.lower() for risk in Risk)),
    "operation.effect": _word("write"),
    "target.type": _word("notion_page", "notion_block", "notion_data_source", "notion_database"),
    "target.ref": _reference,
    "payload.hash": _hash,
    "payload.blocks": _whole_number,
    "payload.properties": _whole_number,
    "result.status": _word("success", "failed", "cancelled", "denied", "preview_only", "unknown"),
    "result.statusCode": _whole_number,
    "result.code": _word(
        "validation_error",
        "invalid_json",
        "invalid_request",
        "invalid_request_url",
        "missing_version",
        "unauthorized",
        "restricted_resource",
        "object_not_found",
        "conflict_error",
        "rate_limited",
        "service_overload",
        "internal_server_error",
        "bad_gateway",
        "service_unavailable",
        "gateway_timeout",
        "unreachable",
        "not_sent",
    ),
    "result.request": _reference,
    "result.milliseconds": _whole_number,
    "result.differences": _whole_number,
    "sends": _whole_number,
    "count": _whole_number,
    "ticket.ref": _reference,
    "ticket.receipt": _whole_number,
    "ticket.state": _word("done", "waiting", "failed", "skipped"),
}

FIELDS = frozenset(_FIELDS)
