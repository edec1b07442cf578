"""Whether a page that a poll brought back holds anything that was not seen before.

Notion cuts `last_edited_time` to the minute, so a stamp alone cannot tell two edits apart. A page
is therefore known by its stamp and by a hash over everything in its properties that a person can
edit. The rules, in order:

- never seen: news;
- an older stamp than the one seen: a stale answer of Notion's index, never news;
- another hash: news, also when the last editor is our own bot, because somebody may have edited
  in the same minute;
- a later stamp with the same hash: news, as the body was edited. After each write of our own the
  caller keeps `see_after_write`, so that this is never our own;
- otherwise nothing.

A page stamped with the current minute may still be edited under the same stamp: `look_again`.
What cannot be seen at all is a second edit of nothing but the body within one minute.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lakelight.clock import iso, parse_iso
from lakelight.digest import canonical, sha256

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A page as it was last looked at."""

    last_edited: datetime
    content_hash: str


def see(page_json: Json) -> Seen:
    """What to remember of a page that has been looked at."""
    return Seen(last_edited=_stamp(page_json), content_hash=content_hash(page_json))


def see_after_write(page_before: Json, our_property_writes: Json, answer: Json) -> Seen:
    """What to remember after a write of ours: the stamp of Notion's answer, and what we expect of the page.

    Where `answer` holds more than our write, somebody else's edit came in between, and the next look
    finds it as news.
    """
    return Seen(last_edited=_stamp(answer), content_hash=expected_hash(page_before, our_property_writes))


def is_news(seen: Seen | None, page_json: Json) -> bool:
    """True when somebody else than the one who kept `seen` has edited the page since."""
    if seen is None:
        return True
    stamp = _stamp(page_json)
    if stamp < seen.last_edited:
        return False
    return stamp > seen.last_edited or content_hash(page_json) != seen.content_hash


def look_again(last_edited: datetime, now: datetime) -> bool:
    """True while the page may still change without its stamp changing.

    Args:
        now: By Notion's clock (its `Date` header), not by ours.
    """
    return last_edited >= now.astimezone(UTC).replace(second=0, microsecond=0)


def content_hash(page_json: Json) -> str:
    """A hash over every property of the page that a person can edit.

    Left out is what Notion computes (formulas, roll-ups, times, editors, ids, buttons) and whatever
    type is unknown here. Files count by name, since their URLs expire; people and relations by id;
    texts by what they say and link to. Neither the order of properties nor the name of a column counts.
    """
    return _hash(_contents(page_json))


def expected_hash(page_json: Json, our_property_writes: Json) -> str:
    """The hash that the page has when nothing but `our_property_writes` happened to it.

    Args:
        our_property_writes: The `properties` of our request, by column name or property id. An option
            set by its id, or cleared to a default that only Notion knows, cannot be foreseen: the page
            then counts as news, which is the safe side.
    """
    contents = _contents(page_json)
    ids = {name: _key(name, prop) for name, prop in _properties(page_json)}
    for name, prop in our_property_writes.items():
        if isinstance(prop, Mapping) and (kind := _kind(prop)):
            contents[ids.get(name, name)] = [kind, _READ[kind](prop[kind])]
    return _hash(contents)


def _stamp(page_json: Json) -> datetime:
    try:
        return parse_iso(str(page_json.get("last_edited_time"))).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)


def _hash(contents: Mapping[str, object]) -> str:
    return sha256(canonical(contents))


def _contents(page_json: Json) -> dict[str, object]:
    contents: dict[str, object] = {}
    for name, prop in _properties(page_json):
        if kind := _kind(prop):
            contents[_key(name, prop)] = [kind, _READ[kind](prop[kind])]
    return contents


def _properties(page_json: Json) -> Iterable[tuple[str, Json]]:
    properties = page_json.get("properties")
    if isinstance(properties, Mapping):
        for name, prop in properties.items():
            if isinstance(prop, Mapping):
                yield _whole(name), prop


def _key(name: str, prop: Json) -> str:
    return _whole(str(prop.get("id") or name))


def _kind(prop: Json) -> str | None:
    """The editable type of a property, as read (`type` says it) or as written (its only key)."""
    kind = prop.get("type")
    kinds = [kind] if isinstance(kind, str) else list(prop)
    return next((kind for kind in kinds if kind in _READ and kind in prop), None)


def _rich_text(value: object) -> object:
    runs: list[list[object]] = []
    for run in _maps(value):
        read = _run(run)
        # Notion joins neighbours that look alike, so texts are compared joined.
        if runs and read[0] == "text" == runs[-1][0] and read[2] == runs[-1][2]:
            runs[-1][1] = f"{runs[-1][1]}{read[1]}"
        elif read[0] != "text" or read[1]:
            runs.append(read)
    return runs


def _run(run: Json) -> list[object]:
    mention, equation, text = run.get("mention"), run.get("equation"), run.get("text")
    if isinstance(mention, Mapping):
        return ["mention", _mention(mention)]
    if isinstance(equation, Mapping):
        return ["equation", _word(equation.get("expression"))]
    if not isinstance(text, Mapping):
        return ["text", _word(run.get("plain_text")), ""]
    link = text.get("link")
    # A bare host comes back with a slash behind it.
    url = _word(link.get("url")).rstrip("/") if isinstance(link, Mapping) else ""
    return ["text", _word(text.get("content")), url]


def _mention(mention: Json) -> object:
    # Not by its words: they are the present title of what is mentioned.
    for kind in ("user", "page", "database", "data_source", "agent"):
        if isinstance(mention.get(kind), Mapping):
            return [kind, _identifier(mention[kind].get("id"))]
    date = mention.get("date")
    return ["date", _date(date)] if isinstance(date, Mapping) else ["other", _word(mention.get("type"))]


def _option(value: object) -> object:
    if not isinstance(value, Mapping):
        return None
    return _word(value["name"]) if "name" in value else ["id", _word(value.get("id"))]


def _options(value: object) -> object:
    return sorted(str(_option(option)) for option in _maps(value))


def _date(value: object) -> object:
    if not isinstance(value, Mapping):
        return None
    return [_when(value.get("start")), _when(value.get("end")), _word(value.get("time_zone"))]


def _when(value: object) -> str:
    text = _word(value)
    if "T" not in text:
        return text
    try:
        return iso(parse_iso(text))
    except (ValueError, OverflowError):
        return text


def _identifiers(value: object) -> object:
    return sorted(_identifier(item.get("id")) for item in _maps(value))


def _identifier(value: object) -> str:
    return _word(value).replace("-", "").lower()


def _file_names(value: object) -> object:
    return sorted(_word(item.get("name")) for item in _maps(value))


def _number(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _word(value: object) -> str:
    return "" if value is None else _whole(str(value))


def _whole(text: str) -> str:
    # JSON can carry half a surrogate pair, which no hash can.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _place(value: object) -> object:
    return (
        {key: _word(value.get(key)) for key in ("lat", "lon", "name", "address")}
        if isinstance(value, Mapping)
        else None
    )


def _state(value: object) -> object:
    return _word(value.get("state")) if isinstance(value, Mapping) else ""


def _maps(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


_READ: Mapping[str, Callable[[Any], object]] = {
    "title": _rich_text,
    "rich_text": _rich_text,
    "number": _number,
    "select": _option,
    "status": _option,
    "multi_select": _options,
    "date": _date,
    "people": _identifiers,
    "relation": _identifiers,
    "files": _file_names,
    "checkbox": bool,
    "url": _word,
    "email": _word,
    "phone_number": _word,
    "place": _place,
    "verification": _state,
}
"""How each editable type is brought into one form, whether it was read or is to be written."""
