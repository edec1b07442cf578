"""The columns of a data source: their types, their settings and what a schema edit may do to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import unquote

from notion_embedded.model.checks import (
    MAX_ITEMS,
    UNDEFINED,
    Json,
    a_string,
    a_uuid,
    an_array,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.errors import guessed, invalid
from notion_embedded.model.formulas import renamed
from notion_embedded.model.ids import encoded
from notion_embedded.model.rich_text import COLOURS
from notion_embedded.model.rollups import FUNCTIONS

NUMBER_FORMATS = (
    "number", "number_with_commas", "percent", "dollar", "canadian_dollar", "euro", "pound", "yen", "ruble",
    "rupee", "won", "yuan", "real", "lira", "rupiah", "franc", "hong_kong_dollar", "new_zealand_dollar",
    "krona",
    "norwegian_krone", "mexican_peso", "rand", "new_taiwan_dollar", "danish_krone", "zloty", "baht", "forint",
    "koruna", "shekel", "chilean_peso", "philippine_peso", "dirham", "colombian_peso", "riyal",
    "ringgit", "leu",
    "argentine_peso", "uruguayan_peso", "singapore_dollar", "peruvian_sol",
)  # fmt: skip

TITLE = "title"
COMPUTED = (
    "formula", "rollup", "created_time", "created_by", "last_edited_time", "last_edited_by", "unique_id",
    "button",
)  # fmt: skip
CHOICES = ("select", "multi_select", "status")
MAX_NAME = 100
MAX_EXPRESSION = 100_000

_PLAIN = (
    "title", "rich_text", "date", "people", "files", "checkbox", "url", "email", "phone_number",
    "created_time",
    "created_by", "last_edited_time", "last_edited_by", "button", "place", "verification",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column, as stored: values are kept by its `id`, so that a new name moves nothing."""

    id: str
    name: str
    type: str
    config: Json
    description: str | None = None

    def option(self, key: str) -> Json | None:
        """The option with this id, or of this name in any case."""
        options: list[Json] = self.config.get("options", [])
        for option in options:
            if option["id"] == key:
                return option
        folded = key.casefold()
        return next((option for option in options if option["name"].casefold() == folded), None)


Columns = tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Minting:
    """Where new ids of columns and options come from."""

    column_id: Callable[[], str]
    option_id: Callable[[], str]


def column_from_json(stored: Json) -> Column:
    """The column that `column_to_json` wrote."""
    return Column(**stored)


def column_to_json(column: Column) -> Json:
    """The column as stored."""
    return {
        "id": column.id,
        "name": column.name,
        "type": column.type,
        "config": column.config,
        "description": column.description,
    }


def find_column(columns: Sequence[Column], key: str, *, decode: bool = True) -> Column | None:
    """The column with this name or id; an id may be URL-encoded once, as responses carry it."""
    keys = (key, unquote(key)) if decode else (key,)
    for candidate in keys:
        for column in columns:
            if column.id == candidate:
                return column
    return next((column for column in columns if column.name == key), None)


def title_column(columns: Sequence[Column]) -> Column:
    """The one column every data source has."""
    return next(column for column in columns if column.type == TITLE)


class Schemas(Protocol):
    """What showing a column asks about other data sources."""

    def database_of(self, data_source_id: str) -> str | None:
        """The database that a data source stands in."""
        ...

    def columns(self, data_source_id: str) -> Columns:
        """The columns of a data source; none if there is no such thing."""
        ...


def show_column(column: Column, columns: Columns, schemas: Schemas) -> Json:
    """The column as a schema shows it; `columns` are those it stands among."""
    return {
        "id": encoded(column.id),
        "name": column.name,
        "description": column.description,
        "type": column.type,
        column.type: _shown_config(column, columns, schemas),
    }


def _shown_config(column: Column, columns: Columns, schemas: Schemas) -> Json:
    config = column.config
    if column.type == "relation":
        shown = {"database_id": schemas.database_of(config["data_source_id"]), **config}
        if synced_id := synced_with(column):
            shown["dual_property"] = {
                "synced_property_name": _name_of(schemas.columns(config["data_source_id"]), synced_id),
                "synced_property_id": encoded(synced_id),
            }
        return shown
    if column.type == "rollup":
        relation, target = rolled_up(column, columns, schemas.columns)
        return {
            "function": config["function"],
            "relation_property_name": relation.name if relation else "",
            "relation_property_id": encoded(config["relation_property_id"]),
            "rollup_property_name": target.name if target else "",
            "rollup_property_id": encoded(config["rollup_property_id"]),
        }
    return config


def _name_of(columns: Columns, column_id: str) -> str:
    return next((column.name for column in columns if column.id == column_id), "")


def synced_with(column: Column) -> str | None:
    """The id of the column on the other side of a two-way relation."""
    synced: str | None = column.config.get("dual_property", {}).get("synced_property_id")
    return synced


def rolled_up(
    column: Column, columns: Columns, columns_of: Callable[[str], Columns]
) -> tuple[Column | None, Column | None]:
    """The relation that a rollup follows, and the column that it reads there; each as far as it is left."""
    relation = _with_id(columns, column.config["relation_property_id"])
    if relation is None or relation.type != "relation":
        return None, None
    there = columns_of(relation.config["data_source_id"])
    return relation, _with_id(there, column.config["rollup_property_id"])


def _with_id(columns: Columns, column_id: str) -> Column | None:
    return next((column for column in columns if column.id == column_id), None)


def new_columns(value: Any, path: str, minting: Minting) -> Columns:
    """The columns of a new data source; without a title column it gets one called `Name`."""
    body = {} if value is UNDEFINED else an_object(value, path)
    columns: list[Column] = []
    for name, config in body.items():
        columns.append(_new_column(name, config, f"{path}.{name}", minting))
    titles = [column for column in columns if column.type == TITLE]
    if len(titles) > 1:
        raise guessed("A data source must have exactly one title property.")
    if not titles:
        columns.append(Column(id=TITLE, name="Name", type=TITLE, config={}))
    _check_names(columns)
    return tuple(columns)


def edit_columns(columns: Columns, value: Any, path: str, minting: Minting) -> Columns:
    """The columns after a schema edit: add, rename, retype, set options, or drop by `null`."""
    edited = list(columns)
    for key, change in an_object(value, path).items():
        column = find_column(edited, key)
        where = f"{path}.{key}"
        if column is None:
            if change is None or (isinstance(change, dict) and set(change) == {"name"}):
                raise invalid(f"Could not find property with name or id: {key}")
            edited.append(_new_column(key, change, where, minting))
            continue
        at = edited.index(column)
        if change is None:
            if column.type == TITLE:
                raise guessed("The title property cannot be deleted.")
            del edited[at]
        else:
            edited[at] = _changed(column, an_object(change, where), where, minting)
            if edited[at].name != column.name:
                edited = [_following(other, column.name, edited[at].name) for other in edited]
    if sum(column.type == TITLE for column in edited) != 1:
        raise guessed("A data source must have exactly one title property.")
    _check_names(edited)
    return tuple(edited)


def _following(column: Column, old: str, new: str) -> Column:
    """A formula that goes on reading a column under its new name."""
    if column.type != "formula":
        return column
    return replace(column, config={"expression": renamed(column.config["expression"], old, new)})


def _new_column(name: str, value: Any, path: str, minting: Minting) -> Column:
    body = an_object(value, path)
    kind = _kind(body, path)
    if kind is None:
        raise failed_all([(f"{path}.{known}", "defined", UNDEFINED) for known in _CONFIGS])
    name = _name(body.get("name", name), path)
    config = _CONFIGS[kind](an_object(body[kind], f"{path}.{kind}"), f"{path}.{kind}", {}, minting)
    column_id = TITLE if kind == TITLE else minting.column_id()
    return Column(id=column_id, name=name, type=kind, config=config, description=_description(body, path))


def _changed(column: Column, body: Json, path: str, minting: Minting) -> Column:
    kind = _kind(body, path)
    if "name" in body:
        column = replace(column, name=_name(body["name"], path))
    if "description" in body:
        column = replace(column, description=_description(body, path))
    if kind is None:
        return column
    if (kind == TITLE) != (column.type == TITLE):
        raise guessed(
            "The title property cannot change its type, and no other property can become the title."
        )
    before = column.config if kind == column.type else _carried(column, kind)
    config = _CONFIGS[kind](an_object(body[kind], f"{path}.{kind}"), f"{path}.{kind}", before, minting)
    return replace(column, type=kind, config=config)


def _carried(column: Column, kind: str) -> Json:
    """What a choice keeps of its options when it becomes another kind of choice."""
    if column.type in CHOICES and kind in ("select", "multi_select"):
        return {"options": column.config.get("options", [])}
    return {}


def _kind(body: Json, path: str) -> str | None:
    kinds = [key for key in body if key not in ("type", "name", "description", "id")]
    for kind in kinds:
        if kind not in _CONFIGS:
            raise failed(f"{path}.{kind}", "not present", body[kind])
    if "type" in body and kinds and body["type"] != kinds[0]:
        raise failed(f"{path}.type", f'`"{kinds[0]}"`', body["type"])
    return kinds[0] if kinds else None


def _name(value: Any, path: str) -> str:
    name = a_string(value, f"{path}.name")
    if not name.strip():
        raise failed(f"{path}.name", "populated", value)
    return name


def _description(body: Json, path: str) -> str | None:
    text = body.get("description")
    return None if text is None or text == "" else a_string(text, f"{path}.description")


def _check_names(columns: Sequence[Column]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise guessed(f"A property with the name {column.name} exists already.")
        seen.add(column.name)


Config = Callable[[Json, str, Json, Minting], Json]


def _nothing(body: Json, path: str, _before: Json, _minting: Minting) -> Json:
    only_keys(body, path, ())
    return {}


def _number(body: Json, path: str, before: Json, _minting: Minting) -> Json:
    only_keys(body, path, ("format",))
    return {
        "format": one_of(body.get("format", before.get("format", "number")), f"{path}.format", NUMBER_FORMATS)
    }


def _select(body: Json, path: str, before: Json, minting: Minting) -> Json:
    only_keys(body, path, ("options",))
    if "options" not in body:
        return {"options": before.get("options", [])}
    return {"options": _options(body["options"], f"{path}.options", before.get("options", []), minting)}


def _options(value: Any, path: str, before: Sequence[Json], minting: Minting) -> list[Json]:
    options: list[Json] = []
    for at, item in enumerate(an_array(value, path, at_most=MAX_ITEMS)):
        where = f"{path}[{at}]"
        body = an_object(item, where)
        only_keys(body, where, ("id", "name", "color", "description", "group"))
        known = _known_option(body, where, before)
        if known is None:
            name = option_name(body.get("name", UNDEFINED), f"{where}.name")
            options.append(_fresh(name, body, where, len(options), minting.option_id()))
        else:
            # Notion answers 200 to a new name or colour of an option that exists, and changes nothing.
            options.append(known)
    names = [option["name"].casefold() for option in options]
    if len(set(names)) != len(names):
        raise guessed("Select options must have different names.")
    return options


def _known_option(body: Json, path: str, before: Sequence[Json]) -> Json | None:
    if body.get("id") is not None:
        wanted = a_string(body["id"], f"{path}.id")
        return next((option for option in before if option["id"] == wanted), None)
    name = body.get("name")
    return next((option for option in before if option["name"] == name), None)


def _fresh(name: str, body: Json, path: str, at: int, option_id: str) -> Json:
    colour = one_of(body.get("color", COLOURS[at % len(COLOURS)]), f"{path}.color", COLOURS)
    description = body.get("description")
    return {
        "id": option_id,
        "name": name,
        "color": colour,
        "description": None if description is None else a_string(description, f"{path}.description"),
    }


def option_name(value: Any, path: str) -> str:
    """The name of an option, which may hold no comma."""
    name = a_string(value, path, at_most=MAX_NAME)
    if "," in name:
        raise invalid(f"Invalid select option, commas not allowed: {name}")
    if not name.strip():
        raise failed(path, "populated", value)
    return name


def with_option(column: Column, name: str, option_id: str) -> Column:
    """The column with one more option, as a page write that names an unknown one makes it."""
    options = column.config.get("options", [])
    option = _fresh(name, {}, "", len(options), option_id)
    return replace(column, config={**column.config, "options": [*options, option]})


_GROUPS = (("To-do", "gray"), ("In progress", "blue"), ("Complete", "green"))
_FIRST_STATUSES = (("Not started", "default"), ("In progress", "blue"), ("Done", "green"))


def _status(body: Json, path: str, before: Json, minting: Minting) -> Json:
    only_keys(body, path, ("options", "groups"))
    kept: list[Json] = before.get("options", [])
    if "options" in body:
        options = _options(body["options"], f"{path}.options", kept, minting)
        if not options:
            raise failed(f"{path}.options.length", "≥ `1`", 0)
    elif kept:
        options = kept
    else:
        options = [
            _fresh(name, {"color": colour}, path, 0, minting.option_id()) for name, colour in _FIRST_STATUSES
        ]
    groups = before.get("groups") or [
        {"id": minting.option_id(), "name": name, "color": colour, "option_ids": []}
        for name, colour in _GROUPS
    ]
    if "options" not in body and not kept:
        placed = {option["id"]: at for at, option in enumerate(options)}
    else:
        placed = _placed(options, groups)
    if "groups" in body:
        placed |= _given_groups(body["groups"], f"{path}.groups", options)
    return {
        "options": options,
        "groups": [
            {**group, "option_ids": [option["id"] for option in options if placed.get(option["id"], 0) == at]}
            for at, group in enumerate(groups)
        ],
    }


def _placed(options: Sequence[Json], groups: Sequence[Json]) -> dict[str, int]:
    """Which group each option stands in; a new one stands with the first."""
    at_group = {option_id: at for at, group in enumerate(groups) for option_id in group["option_ids"]}
    return {option["id"]: at_group.get(option["id"], 0) for option in options}


def _given_groups(value: Any, path: str, options: Sequence[Json]) -> dict[str, int]:
    known = {option["id"] for option in options} | {option["name"] for option in options}
    by_name = {option["name"]: option["id"] for option in options}
    placed: dict[str, int] = {}
    names = [name for name, _ in _GROUPS]
    for at, item in enumerate(an_array(value, path, at_most=len(names))):
        body = an_object(item, f"{path}[{at}]")
        name = one_of(body.get("name", names[at]), f"{path}[{at}].name", names)
        for key in an_array(body.get("option_ids", body.get("options", [])), f"{path}[{at}].option_ids"):
            word = key.get("name", key.get("id")) if isinstance(key, dict) else key
            if word not in known:
                raise failed(f"{path}[{at}].option_ids", "ids of the property's options", key)
            placed[by_name.get(str(word), str(word))] = names.index(name)
    return placed


def default_status(column: Column) -> str | None:
    """The option that a new row starts with: the first of the to-do group, or the first of all."""
    options = [option["id"] for option in column.config["options"]]
    first_group = column.config["groups"][0]["option_ids"]
    return first_group[0] if first_group else next(iter(options), None)


def _relation(body: Json, path: str, before: Json, _minting: Minting) -> Json:
    only_keys(body, path, ("data_source_id", "database_id", "type", "single_property", "dual_property"))
    target = a_uuid(
        body.get("data_source_id", before.get("data_source_id", UNDEFINED)), f"{path}.data_source_id"
    )
    kind = one_of(body.get("type", "single_property"), f"{path}.type", ("single_property", "dual_property"))
    dual = "dual_property" in body or kind == "dual_property"
    if not dual:
        if "single_property" in body:
            inner = f"{path}.single_property"
            only_keys(an_object(body["single_property"], inner), inner, ())
        return {"data_source_id": target, "type": "single_property", "single_property": {}}
    given = an_object(body.get("dual_property", {}), f"{path}.dual_property")
    only_keys(given, f"{path}.dual_property", ("synced_property_id", "synced_property_name"))
    kept = before.get("dual_property", {}) if before.get("data_source_id") == target else {}
    synced = {key: value for key, value in kept.items() if key == "synced_property_id"}
    if given.get("synced_property_name") is not None:
        synced["wanted_name"] = _name(given["synced_property_name"], f"{path}.dual_property.synced_property")
    # `wanted_name` is gone when the pair is made (`notion_embedded.http.relations`), before it is stored.
    return {"data_source_id": target, "type": "dual_property", "dual_property": synced}


def _unique_id(body: Json, path: str, before: Json, _minting: Minting) -> Json:
    only_keys(body, path, ("prefix",))
    prefix = body.get("prefix", before.get("prefix"))
    return {"prefix": None if prefix is None else a_string(prefix, f"{path}.prefix")}


def _formula(body: Json, path: str, before: Json, _minting: Minting) -> Json:
    only_keys(body, path, ("expression",))
    expression = body.get("expression", before.get("expression", ""))
    return {"expression": a_string(expression, f"{path}.expression", at_most=MAX_EXPRESSION)}


def _rollup(body: Json, path: str, before: Json, _minting: Minting) -> Json:
    """What is given; `settle_rollups` turns names into ids, as it knows the columns around."""
    only_keys(body, path, ("function", *(f"{part}_property_{by}" for part, by in _ROLLUP_KEYS)))
    function = one_of(body.get("function", before.get("function", UNDEFINED)), f"{path}.function", FUNCTIONS)
    given = {key: a_string(value, f"{path}.{key}") for key, value in body.items() if key != "function"}
    for part in ("relation", "rollup"):
        if not given.keys() & {f"{part}_property_name", f"{part}_property_id"}:
            if f"{part}_property_id" not in before:
                raise failed_all(
                    [(f"{path}.{part}_property_{by}", "defined", UNDEFINED) for by in ("name", "id")]
                )
            given[f"{part}_property_id"] = before[f"{part}_property_id"]
    return {"function": function, **given}


_ROLLUP_KEYS = tuple((part, by) for part in ("relation", "rollup") for by in ("name", "id"))


def settle_rollups(columns: Columns, before: Columns, columns_of: Callable[[str], Columns]) -> Columns:
    """The columns with the names in new rollups turned into ids; one that names nothing is refused."""
    settled = [column.config for column in before if column.type == "rollup"]
    return tuple(
        _settled(column, columns, columns_of)
        if column.type == "rollup" and column.config not in settled
        else column
        for column in columns
    )


def _settled(column: Column, columns: Columns, columns_of: Callable[[str], Columns]) -> Column:
    relation = _meant(column.config, "relation", columns)
    if relation is None or relation.type != "relation":
        raise guessed(
            f"{column.name} rolls up {_said(column, 'relation')}, which is not a relation property."
        )
    target = _meant(column.config, "rollup", columns_of(relation.config["data_source_id"]))
    if target is None:
        raise guessed(
            f"{column.name} rolls up {_said(column, 'rollup')}, which is not a property that exists in the "
            "related data source."
        )
    ids = {"relation_property_id": relation.id, "rollup_property_id": target.id}
    return replace(column, config={"function": column.config["function"], **ids})


def _meant(config: Json, part: str, columns: Columns) -> Column | None:
    return find_column(columns, str(config.get(f"{part}_property_id") or config[f"{part}_property_name"]))


def _said(column: Column, part: str) -> Any:
    return column.config.get(f"{part}_property_name", column.config.get(f"{part}_property_id"))


_CONFIGS: Mapping[str, Config] = {
    **dict.fromkeys(_PLAIN, _nothing),
    "number": _number,
    "select": _select,
    "multi_select": _select,
    "status": _status,
    "relation": _relation,
    "unique_id": _unique_id,
    "formula": _formula,
    "rollup": _rollup,
}
