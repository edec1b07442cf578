"""Events for webhooks, stored in the same transaction as what they tell of, so that no crash loses one.

Triggers note what a transaction does while somebody is subscribed; `seal`, at its end, makes events
of the notes, one for each subscriber who wants it and can see what it is about.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from notion_embedded.model.ids import encoded
from notion_embedded.store import nodes, tokens, webhooks
from notion_embedded.store.webhooks import Webhook

Json = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class _Happening:
    type: str
    entity_type: str
    entity: str
    seen_at: str | None
    """The node whose sharing decides who is told; nothing means the author alone."""
    authors: list[str]
    data: Json


def seal(connection: sqlite3.Connection, moment: int) -> bool:
    """Make events of what the transaction did; whether there are any."""
    changes = connection.execute("SELECT * FROM change ORDER BY seq").fetchall()
    if not changes:
        return False
    connection.execute("DELETE FROM change")
    happenings = _merged(_Reader(connection).happenings(changes))
    for webhook in webhooks.all_webhooks(connection):
        if webhook.status != "active":
            continue
        shares = set(tokens.shares(connection, webhook.token_id))
        for happening in happenings:
            if _is_told(connection, webhook, shares, happening):
                webhooks.queue(connection, webhook, _as_stored(connection, happening), moment)
    return webhooks.any_waiting(connection)


def _is_told(connection: sqlite3.Connection, webhook: Webhook, shares: set[str], said: _Happening) -> bool:
    if webhook.events is not None and said.type not in webhook.events:
        return False
    if said.seen_at is None:
        row = connection.execute("SELECT user_id FROM token WHERE id = ?", (webhook.token_id,)).fetchone()
        return row is not None and row["user_id"] in said.authors
    return any(found in shares for found, _, _ in nodes.ancestors(connection, said.seen_at))


def _as_stored(connection: sqlite3.Connection, happening: _Happening) -> Json:
    authors = []
    for user_id in happening.authors:
        user = tokens.find_user(connection, user_id)
        authors.append({"id": user_id, "type": "bot" if user is None else user.type})
    return {
        "type": happening.type,
        "entity_type": happening.entity_type,
        "entity": happening.entity,
        "authors": authors,
        "data": happening.data,
    }


def _merged(happenings: Iterator[_Happening]) -> list[_Happening]:
    """The same happenings, those of one type on one thing as one, in the order of the first."""
    merged: dict[tuple[str, str], _Happening] = {}
    for happening in happenings:
        known = merged.setdefault((happening.type, happening.entity), happening)
        if known is happening:
            continue
        known.authors += [author for author in happening.authors if author not in known.authors]
        for key, value in happening.data.items():
            if isinstance(value, list):
                known.data[key] += [item for item in value if item not in known.data[key]]
    return list(merged.values())


class _Reader:
    """Reads the notes of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._made: set[str] = set()

    def happenings(self, changes: Sequence[sqlite3.Row]) -> Iterator[_Happening]:
        self._made = {change["id"] for change in changes if change["deed"] == "made"}
        for change in changes:
            match change["subject"]:
                case "comment":
                    yield from self._comment(change)
                case "file_upload":
                    yield from self._file(change)
                case "block":
                    yield from self._content(change["id"], "block", change["author"])
                case _:
                    yield from self._object(change)

    def _object(self, change: sqlite3.Row) -> Iterator[_Happening]:
        node = nodes.find(self._connection, change["id"])
        if node is None:
            return
        if change["deed"] == "made":
            yield self._about(node, "created", change["author"])
            yield from self._content(node.id, node.kind, change["author"])
            return
        if node.id in self._made:
            return
        before, after = json.loads(change["before"]), json.loads(change["after"])
        if before["trashed"] != after["trashed"]:
            yield self._about(node, "deleted" if after["trashed"] else "undeleted", change["author"])
            yield from self._content(node.id, node.kind, change["author"])
        if before["parent"] != after["parent"]:
            yield self._about(node, "moved", change["author"])
        if before["locked"] != after["locked"] and node.kind == "page":
            yield self._about(node, "locked" if after["locked"] else "unlocked", change["author"])
        if node.kind == "page" and (changed := _changed_values(before["body"], after["body"])):
            yield self._about(node, "properties_updated", change["author"], updated_properties=changed)
        if node.kind == "data_source" and (columns := _changed_columns(before["body"], after["body"])):
            yield self._about(node, "schema_updated", change["author"], updated_properties=columns)

    def _about(self, node: nodes.Node, verb: str, author: str, **more: Any) -> _Happening:
        return _Happening(
            type=f"{node.kind}.{verb}",
            entity_type=node.kind,
            entity=node.id,
            seen_at=node.id,
            authors=[author],
            data={"parent": self._parent(node), **more},
        )

    def _parent(self, node: nodes.Node) -> Json:
        if node.parent is None:
            row = self._connection.execute("SELECT id FROM workspace").fetchone()
            return {"id": row["id"], "type": "space"}
        if node.parent_kind != "data_source":
            return {"id": node.parent, "type": node.parent_kind}
        source = nodes.find(self._connection, node.parent)
        database = node.parent if source is None or source.parent is None else source.parent
        return {"id": database, "type": "database", "data_source_id": node.parent}

    def _content(self, node_id: str, kind: str, author: str) -> Iterator[_Happening]:
        """The content of what the node stands in has changed."""
        above = nodes.ancestors(self._connection, node_id)[1:]
        holder = next(
            (found for found, found_kind, _ in above if found_kind in ("page", "data_source")), None
        )
        if holder is None or holder in self._made or kind == "data_source":
            return
        node = nodes.find(self._connection, holder)
        if node is not None:
            yield self._about(node, "content_updated", author, updated_blocks=[{"id": node_id, "type": kind}])

    def _comment(self, change: sqlite3.Row) -> Iterator[_Happening]:
        parent = json.loads(change["after"])["parent"]
        above = nodes.ancestors(self._connection, parent)
        page = next((found for found, kind, _ in above if kind == "page"), parent)
        verb = {"made": "created", "edited": "updated", "removed": "deleted"}[change["deed"]]
        yield _Happening(
            type=f"comment.{verb}",
            entity_type="comment",
            entity=change["id"],
            seen_at=parent,
            authors=[change["author"]],
            data={
                "page_id": page,
                "parent": {"id": parent, "type": above[0][1] if above else "block"},
            },
        )

    def _file(self, change: sqlite3.Row) -> Iterator[_Happening]:
        after = json.loads(change["after"])
        verb = {"pending": "created", "uploaded": "completed", "failed": "upload_failed"}.get(
            after["status"], after["status"]
        )
        yield _Happening(
            type=f"file_upload.{verb}",
            entity_type="file_upload",
            entity=change["id"],
            seen_at=None,
            authors=[change["author"]],
            data={"file_import_result": after["result"]} if verb == "upload_failed" else {},
        )


def _changed_values(before: Json, after: Json) -> list[str]:
    old, new = before.get("values", {}), after.get("values", {})
    return [encoded(key) for key in {**old, **new} if old.get(key) != new.get(key)]


def _changed_columns(before: Json, after: Json) -> list[Json]:
    old = {column["id"]: column for column in before.get("columns", [])}
    new = {column["id"]: column for column in after.get("columns", [])}
    changed = []
    for column_id in {**old, **new}:
        if column_id not in new:
            changed.append({"id": encoded(column_id), "name": None, "action": "deleted"})
        elif old.get(column_id) != new[column_id]:
            action = "updated" if column_id in old else "created"
            changed.append({"id": encoded(column_id), "name": new[column_id]["name"], "action": action})
    return changed
