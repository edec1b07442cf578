"""Rich text: checked, completed and joined as Notion does before it stores it."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from notion_embedded.model.checks import (
    MAX_ITEMS,
    MAX_URL,
    UNDEFINED,
    Json,
    a_boolean,
    a_string,
    a_uuid,
    an_array,
    an_object,
    failed,
    failed_all,
    one_of,
    only_keys,
)
from notion_embedded.model.dates import read_date
from notion_embedded.model.errors import ApiError, guessed, invalid
from notion_embedded.model.ids import SITE

RichText = list[Json]

MAX_TEXT = 2000
MAX_EXPRESSION = 1000

COLOURS = ("default", "gray", "brown", "orange", "yellow", "green", "blue", "purple", "pink", "red")
TEXT_COLOURS = (*COLOURS, *(f"{colour}_background" for colour in COLOURS))

_FLAGS = ("bold", "italic", "strikethrough", "underline", "code")
_KINDS = ("text", "mention", "equation")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


class Directory(Protocol):
    """Who and what a text or a value may point at."""

    def user(self, user_id: str) -> Json | None:
        """The user as responses show it, if there is one."""
        ...

    def page_title(self, page_id: str) -> str | None:
        """The title of a page or database that the caller may see."""
        ...


def plain_text(text: Sequence[Json]) -> str:
    """The words alone."""
    return "".join(run["plain_text"] for run in text)


def text_run(content: str) -> Json:
    """One unmarked run of text, as stored."""
    return {
        "type": "text",
        "text": {"content": content, "link": None},
        "annotations": _annotations(UNDEFINED, ""),
        "plain_text": content,
        "href": None,
    }


def read_rich_text(value: Any, path: str, directory: Directory, *, limited: bool = True) -> RichText:
    """The text as stored: every run complete, equal neighbours joined.

    `limited=False` is for text that Notion makes itself, from Markdown, whose runs may be longer
    than a request's.
    """
    items = an_array(value, path, at_most=MAX_ITEMS if limited else 1_000_000)
    runs = (_read_run(item, f"{path}[{at}]", directory, limited=limited) for at, item in enumerate(items))
    return _joined([run for run in runs if run["plain_text"] or run["type"] != "text"])


def _read_run(value: Any, path: str, directory: Directory, *, limited: bool) -> Json:
    item = an_object(value, path)
    present = [kind for kind in _KINDS if kind in item]
    kind = item.get("type", present[0] if present else UNDEFINED)
    if kind is not UNDEFINED and kind not in _KINDS:
        raise failed(f"{path}.type", '`"text"`, `"mention"`, or `"equation"`', kind)
    if kind is UNDEFINED or kind not in present:
        raise failed_all([(f"{path}.{name}", "defined", UNDEFINED) for name in _KINDS])
    only_keys(item, path, ("type", kind, "annotations", "plain_text", "href"))
    reader: Callable[..., Json] = {"text": _text, "mention": _mention, "equation": _equation}[kind]
    run = reader(item[kind], f"{path}.{kind}", directory, limited=limited)
    annotations = _annotations(item.get("annotations", UNDEFINED), f"{path}.annotations")
    return {
        "type": kind,
        kind: run[kind],
        "annotations": annotations,
        "plain_text": run["plain_text"],
        "href": run["href"],
    }


def _annotations(value: Any, path: str) -> Json:
    given = {} if value is UNDEFINED else an_object(value, path)
    only_keys(given, path, (*_FLAGS, "color"))
    flags: Json = {flag: a_boolean(given.get(flag, False), f"{path}.{flag}") for flag in _FLAGS}
    return {**flags, "color": one_of(given.get("color", "default"), f"{path}.color", TEXT_COLOURS)}


def _text(value: Any, path: str, _directory: Directory, *, limited: bool) -> Json:
    body = an_object(value, path)
    only_keys(body, path, ("content", "link"))
    at_most = MAX_TEXT if limited else None
    content = a_string(body.get("content", UNDEFINED), f"{path}.content", at_most=at_most)
    link = body.get("link")
    url = None
    if link is not None:
        if not isinstance(link, dict):
            raise failed(f"{path}.link", "an object, `null`, or `undefined`", link)
        only_keys(link, f"{path}.link", ("url", "type"))
        url = link_url(a_string(link.get("url", UNDEFINED), f"{path}.link.url", at_most=MAX_URL))
    return {
        "text": {"content": content, "link": None if url is None else {"url": url}},
        "plain_text": content,
        "href": url,
    }


def link_url(url: str) -> str:
    """An absolute address; a bare host gains its `/`.

    Raises:
        ApiError: It is relative, a fragment or no address at all.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise invalid("Invalid URL for link.") from None
    if not _SCHEME.match(url) or (parts.scheme in {"http", "https"} and not parts.netloc):
        raise invalid("Invalid URL for link.")
    return (
        f"{url}/"
        if parts.scheme in {"http", "https"} and not url.partition("://")[2].strip(parts.netloc)
        else url
    )


def _equation(value: Any, path: str, _directory: Directory, *, limited: bool) -> Json:
    body = an_object(value, path)
    only_keys(body, path, ("expression",))
    at_most = MAX_EXPRESSION if limited else None
    expression = a_string(body.get("expression", UNDEFINED), f"{path}.expression", at_most=at_most)
    return {"equation": {"expression": expression}, "plain_text": expression, "href": None}


def _mention(value: Any, path: str, directory: Directory, *, limited: bool) -> Json:  # noqa: ARG001  one signature for all kinds
    body = an_object(value, path)
    kinds = [key for key in body if key != "type"]
    if len(kinds) != 1 or kinds[0] not in _MENTIONS:
        raise failed_all([(f"{path}.{kind}", "defined", UNDEFINED) for kind in _MENTIONS])
    kind = kinds[0]
    inner = an_object(body[kind], f"{path}.{kind}")
    shown, words, href = _MENTIONS[kind](inner, f"{path}.{kind}", directory)
    return {"mention": {"type": kind, kind: shown}, "plain_text": words, "href": href}


def _mention_user(body: Json, path: str, directory: Directory) -> tuple[Json, str, str | None]:
    user = directory.user(a_uuid(body.get("id", UNDEFINED), f"{path}.id"))
    if user is None:
        raise no_such_user(body["id"])
    return user, f"@{user['name'] or 'Anonymous'}", None


def _mention_date(body: Json, path: str, _directory: Directory) -> tuple[Json, str, str | None]:
    day = read_date(body, path)
    return day, day["start"] if day["end"] is None else f"{day['start']} → {day['end']}", None


def _mention_page(body: Json, path: str, directory: Directory) -> tuple[Json, str, str | None]:
    only_keys(body, path, ("id",))
    page_id = a_uuid(body.get("id", UNDEFINED), f"{path}.id")
    title = directory.page_title(page_id)
    return {"id": page_id}, title or "Untitled", f"{SITE}{page_id.replace('-', '')}"


def _mention_template(body: Json, path: str, _directory: Directory) -> tuple[Json, str, str | None]:
    if "template_mention_date" in body:
        word = one_of(body["template_mention_date"], f"{path}.template_mention_date", ("today", "now"))
        return {"type": "template_mention_date", "template_mention_date": word}, f"@{word.title()}", None
    word = one_of(body.get("template_mention_user", UNDEFINED), f"{path}.template_mention_user", ("me",))
    return {"type": "template_mention_user", "template_mention_user": word}, "@Me", None


def _mention_emoji(body: Json, path: str, _directory: Directory) -> tuple[Json, str, str | None]:
    raise no_such_emoji(a_uuid(body.get("id", UNDEFINED), f"{path}.id"))


_MENTIONS: dict[str, Callable[[Json, str, Directory], tuple[Json, str, str | None]]] = {
    "user": _mention_user,
    "date": _mention_date,
    "page": _mention_page,
    "database": _mention_page,
    "data_source": _mention_page,
    "template_mention": _mention_template,
    "custom_emoji": _mention_emoji,
}


def no_such_emoji(emoji_id: str) -> ApiError:
    """A text or icon names an emoji of the workspace's own, of which this one has none."""
    return guessed(f"Could not find custom emoji with ID: {emoji_id}.")


def no_such_user(user_id: str) -> ApiError:
    """A text or value names a user that this workspace does not have."""
    return guessed(f"Could not find user with ID: {user_id}.")


def _joined(runs: RichText) -> RichText:
    joined: RichText = []
    for run in runs:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last["type"] == run["type"] == "text"
            and last["annotations"] == run["annotations"]
            and last["href"] == run["href"]
        ):
            content = last["plain_text"] + run["plain_text"]
            joined[-1] = {**last, "text": {**last["text"], "content": content}, "plain_text": content}
        else:
            joined.append(run)
    return joined
