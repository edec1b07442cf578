"""A condition on a column as Notion's filter, by the column's type. Pure."""

from typing import Any, Literal

from lakelight.notion import BadProperty, NotionTooLarge
from lakelight.notion.schema import Column, assign
from lakelight.tools.port import Fault, Question
from lakelight.tools.values import refusal

Op = Literal["equals", "not_equals", "contains", "greater", "less", "before", "after", "empty", "not_empty"]

_EMPTINESS = {"empty": "is_empty", "not_empty": "is_not_empty"}
_EQUAL = {"equals": "equals", "not_equals": "does_not_equal"}
_TEXT = {**_EQUAL, "contains": "contains", **_EMPTINESS}
_NUMBER = {
    **_EQUAL,
    "greater": "greater_than",
    "less": "less_than",
    "after": "greater_than",
    "before": "less_than",
    **_EMPTINESS,
}
_CHOICE = {**_EQUAL, "contains": "equals", **_EMPTINESS}
_AMONG = {"equals": "contains", "contains": "contains", "not_equals": "does_not_contain", **_EMPTINESS}
_DATE = {
    "equals": "equals",
    "before": "before",
    "after": "after",
    "less": "before",
    "greater": "after",
    **_EMPTINESS,
}

_CONDITIONS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("title", "rich_text", "url", "email", "phone_number"), _TEXT),
    **dict.fromkeys(("number", "unique_id"), _NUMBER),
    **dict.fromkeys(("select", "status"), _CHOICE),
    **dict.fromkeys(("multi_select", "people", "relation", "created_by", "last_edited_by"), _AMONG),
    **dict.fromkeys(("date", "created_time", "last_edited_time"), _DATE),
    "checkbox": _EQUAL,
    "files": _EMPTINESS,
}
_LIKE_DATES = frozenset({"created_time", "last_edited_time"})
_LIKE_PEOPLE = frozenset({"created_by", "last_edited_by"})
_DAYS = frozenset(
    {
        "today",
        "tomorrow",
        "yesterday",
        "one_week_ago",
        "one_week_from_now",
        "one_month_ago",
        "one_month_from_now",
    }
)


def condition(column: Column, op: Op, value: object) -> dict[str, Any] | Question | Fault:
    """The filter for rows whose `column` is as `op` and `value` say; ids for people and pages."""
    words = _CONDITIONS.get(column.type, {})
    if column.type == "checkbox" and op in _EMPTINESS:
        return {"property": column.id, "checkbox": {"equals": op == "not_empty"}}
    if op not in words:
        facts = {"column": column.name, "type": column.type, "op": op, "ops": ", ".join(words)}
        return Fault(key="tool.bad_condition", facts=facts)
    if op in _EMPTINESS:
        return {"property": column.id, column.type: {words[op]: True}}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or value == "" or isinstance(value, list):
        facts = {"column": column.name, "type": column.type, "value": str(value)[:200]}
        return Fault(key="tool.bad_value", facts=facts)
    try:
        wanted = _wanted(column, value)
    except (BadProperty, NotionTooLarge) as error:
        return refusal(error, column)
    return {"property": column.id, column.type: {words[op]: wanted}}


def _wanted(column: Column, value: object) -> object:
    """`value` as the filter takes it.

    Raises:
        BadProperty: The column cannot hold it.
    """
    match column.type:
        case "select" | "status":
            return assign(column, value)[column.type]["name"]
        case "multi_select":
            return assign(column, [str(value)])["multi_select"][0]["name"]
        case "number" | "checkbox":
            return assign(column, value)[column.type]
        case "unique_id":
            # People say `T-12` where the filter takes 12.
            return assign(_as(column, "number"), str(value).rpartition("-")[2])["number"]
        case "date" | "created_time" | "last_edited_time":
            return value if value in _DAYS else assign(_as(column, "date"), value)["date"]["start"]
        case "people" | "relation" | "created_by" | "last_edited_by":
            return assign(_as(column, "people"), [str(value)])["people"][0]["id"]
        case _:
            return str(value)


def _as(column: Column, kind: str) -> Column:
    return Column(id=column.id, name=column.name, type=kind)
