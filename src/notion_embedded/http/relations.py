"""Two-way relations: the column on the other side, and the values that say the same from there.

A pair of columns always agrees: every write of one side is mirrored on the other, in the same
transaction. What a write changes is seen in the index of rows, which still holds what was before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from notion_embedded.http.desk import Desk
from notion_embedded.model.columns import Column, Columns, column_to_json, synced_with
from notion_embedded.store import nodes, rows
from notion_embedded.store.nodes import Node
from notion_embedded.store.rows import columns_in


def is_relation(column: Column) -> bool:
    """Whether the column holds related pages."""
    return column.type == "relation"


def mirror(desk: Desk, page: Node, columns: Columns) -> Node:
    """Say on the pages at the other end what the page now says of them; the page comes back.

    It has changed itself where a two-way relation leads from a data source into the same one.
    """
    for column in columns:
        synced = synced_with(column) if is_relation(column) else None
        if synced is None:
            continue
        before = rows.held(desk.connection, page, column.id)
        after: list[str] = page.body["values"].get(column.id) or []
        for other in sorted(before.difference(after)):
            page = _told(desk, page, other, synced, linked=False)
        for other in after:
            if other not in before:
                page = _told(desk, page, other, synced, linked=True)
    return page


def leave_relations(desk: Desk, page: Node, columns: Columns) -> None:
    """Take a page that moves away out of what others say of it in two-way relations."""
    relations = {column.id for column in columns if is_relation(column)}
    values = {key: value for key, value in page.body["values"].items() if key not in relations}
    mirror(desk, replace(page, body={**page.body, "values": values}), columns)


def _told(desk: Desk, page: Node, other_id: str, column_id: str, *, linked: bool) -> Node:
    if other_id == page.id:
        return _linked(page, column_id, page.id, linked=linked)
    other = nodes.find(desk.connection, other_id)
    if other is not None:
        other = _linked(other, column_id, page.id, linked=linked)
        nodes.save(desk.connection, other)
        _index(desk, other, column_id)
    return page


def _linked(page: Node, column_id: str, other_id: str, *, linked: bool) -> Node:
    values = dict(page.body["values"])
    ids = [found for found in values.get(column_id) or [] if found != other_id]
    values[column_id] = [*ids, other_id] if linked else ids
    return replace(page, body={**page.body, "values": values})


def _index(desk: Desk, page: Node, column_id: str) -> None:
    rows.index_column(desk.connection, page, column_id, page.body["values"].get(column_id) or [])


@dataclass(frozen=True, slots=True)
class Pair:
    """A two-way relation, and the id of its other side in the data source that it leads to."""

    column: Column
    target: str
    synced: str


def pair(desk: Desk, source: Node, before: Columns, after: Columns) -> tuple[Columns, list[Pair]]:
    """Make or undo the other side of every two-way relation that a schema edit makes or undoes.

    The edited data source's columns come back unsaved, with the pairs that are new; `fill` brings their
    values over.
    """
    schemas = _Schemas(desk, source, after)
    for column in before:
        lost = _lost(column, after)
        if lost is not None:
            schemas.drop(lost.target, lost.synced)
    made: list[Pair] = []
    for column in schemas.own:
        if is_relation(column) and column.config["type"] == "dual_property":
            made += _paired(desk, schemas, source, column)
    schemas.save()
    return schemas.own, made


def _lost(column: Column, after: Columns) -> Pair | None:
    """The pair that this column was part of, if it is no longer."""
    synced = synced_with(column) if is_relation(column) else None
    if synced is None:
        return None
    now = next((other for other in after if other.id == column.id), None)
    if now is not None and is_relation(now) and synced_with(now) == synced:
        return None
    return Pair(column, column.config["data_source_id"], synced)


def _paired(desk: Desk, schemas: "_Schemas", source: Node, column: Column) -> list[Pair]:
    """Give the relation its other side, or the other side a new name."""
    target = column.config["data_source_id"]
    dual = column.config["dual_property"]
    wanted = dual.get("wanted_name")
    if "synced_property_id" in dual:
        if wanted is not None:
            schemas.rename(target, dual["synced_property_id"], wanted)
            dual = {"synced_property_id": dual["synced_property_id"]}
            schemas.put(source.id, replace(column, config={**column.config, "dual_property": dual}))
        return []
    own_side = {"synced_property_id": column.id}
    other = Column(
        id=desk.minting.column_id(),
        name=schemas.free_name(target, wanted or f"Related to {source.title or 'Untitled'} ({column.name})"),
        type="relation",
        config={"data_source_id": source.id, "type": "dual_property", "dual_property": own_side},
    )
    dual = {"synced_property_id": other.id}
    schemas.put(source.id, replace(column, config={**column.config, "dual_property": dual}))
    schemas.put(target, other)
    return [Pair(column, target, other.id)]


def fill(desk: Desk, source: Node, new: Pair) -> None:
    """Say on the other side what the column already held."""
    for page in rows.all_rows(desk.connection, source.id):
        for other_id in page.body["values"].get(new.column.id) or []:
            # Each page is read anew for each link: it may be one of these, and changed by now.
            _link_to(desk, other_id, new.synced, page.id)


def _link_to(desk: Desk, page_id: str, column_id: str, other_id: str) -> None:
    page = nodes.find(desk.connection, page_id)
    if page is not None:
        page = _linked(page, column_id, other_id, linked=True)
        nodes.save(desk.connection, page)
        _index(desk, page, column_id)


class _Schemas:
    """The columns of the data sources that a schema edit reaches, until all are saved."""

    def __init__(self, desk: Desk, source: Node, own: Columns) -> None:
        self._desk = desk
        self._source_id = source.id
        self._columns: dict[str, list[Column]] = {source.id: list(own)}

    @property
    def own(self) -> Columns:
        """The columns of the data source that is edited."""
        return tuple(self._columns[self._source_id])

    def drop(self, source_id: str, column_id: str) -> None:
        """Take a column away."""
        self._set(source_id, [column for column in self._of(source_id) if column.id != column_id])

    def put(self, source_id: str, column: Column) -> None:
        """Add a column, or put it in the place of the one with its id."""
        columns = self._of(source_id)
        if any(other.id == column.id for other in columns):
            self._set(source_id, [column if other.id == column.id else other for other in columns])
        else:
            self._set(source_id, [*columns, column])

    def rename(self, source_id: str, column_id: str, name: str) -> None:
        """Give a column another name."""
        for column in self._of(source_id):
            if column.id == column_id and column.name != name:
                self.put(source_id, replace(column, name=self.free_name(source_id, name)))

    def free_name(self, source_id: str, name: str) -> str:
        """The name, or the first of `name (1)`, `name (2)` … that no column bears."""
        taken = {column.name for column in self._of(source_id)}
        number, free = 0, name
        while free in taken:
            number += 1
            free = f"{name} ({number})"
        return free

    def save(self) -> None:
        """Store the columns of the other data sources; those of the edited one are for the caller."""
        for source_id, columns in self._columns.items():
            node = nodes.find(self._desk.connection, source_id)
            if source_id != self._source_id and node is not None:
                body = {**node.body, "columns": [column_to_json(column) for column in columns]}
                nodes.save(self._desk.connection, replace(node, body=body))
                self._desk.forget_columns(source_id)

    def _of(self, source_id: str) -> Sequence[Column]:
        if source_id not in self._columns:
            node = nodes.find(self._desk.connection, source_id)
            self._columns[source_id] = [] if node is None else list(columns_in(node))
        return self._columns[source_id]

    def _set(self, source_id: str, columns: list[Column]) -> None:
        self._columns[source_id] = columns
