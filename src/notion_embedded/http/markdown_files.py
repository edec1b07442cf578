"""Uploaded files in a page's Markdown: shown by signed addresses, and known again by them in an edit.

An address is another one each time, so an edit is made on text in which each file stands by a name
that lasts as long as the request. Only an address that this server signed becomes its file again.
"""

import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from notion_embedded.http.desk import Desk
from notion_embedded.http.file_uploads import address
from notion_embedded.model.checks import Json
from notion_embedded.store import files

_SIGNED = re.compile(
    r"https?://[^\s\"'()<>/]{1,260}/files/([0-9a-f-]{36})/[^\s\"'()<>?/]{1,3000}"
    r"\?expires=(\d{1,15})&(?:amp;)?signature=([0-9a-f]{64})"
)


class MarkdownFiles:
    """The files of one page, in one request."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._place = f"https://{secrets.token_hex(8)}.invalid/"

    def named(self, trees: Sequence[Json]) -> list[Json]:
        """The blocks, with each file under its name in this request."""
        return [self._outward(tree, self._name) for tree in trees]

    def addressed(self, trees: Sequence[Json], origin: str) -> list[Json]:
        """The blocks, with each file under an address that is good for an hour."""
        expires = self._desk.exact + files.ADDRESS_LIFE
        return [
            self._outward(tree, lambda upload: address(self._desk, upload, expires, origin)) for tree in trees
        ]

    def known(self, given: Any) -> Any:
        """What a request says, with the name of the file wherever it gives its address."""
        if isinstance(given, str):
            return _SIGNED.sub(self._known, given)
        if isinstance(given, list):
            return [self.known(item) for item in given]
        if isinstance(given, dict):
            return {key: self.known(value) for key, value in given.items()}
        return given

    def stored(self, tree: Json) -> Json:
        """The block as it is stored, with its file where it was named."""
        payload = dict(tree[tree["type"]])
        url = (payload.get("external") or {}).get("url", "")
        if url.startswith(self._place):
            del payload["external"]
            upload_id = url.removeprefix(self._place).partition("/")[0]
            payload |= {"type": "file_upload", "file_upload": {"id": upload_id}}
        inner = [self.stored(child) for child in tree.get("children") or ()]
        return {**tree, tree["type"]: payload, **({"children": inner} if inner else {})}

    def _outward(self, tree: Json, url_of: Callable[[files.Upload], str]) -> Json:
        payload = tree[tree["type"]]
        named = payload.get("file_upload") if isinstance(payload, dict) else None
        inner = [self._outward(child, url_of) for child in tree.get("children") or ()]
        tree = {**tree, "children": inner}
        upload = None if named is None else files.find(self._desk.connection, named["id"])
        if upload is None:
            return tree
        kept = {key: value for key, value in payload.items() if key not in ("type", "file_upload")}
        return {**tree, tree["type"]: {**kept, "type": "external", "external": {"url": url_of(upload)}}}

    def _name(self, upload: files.Upload) -> str:
        return f"{self._place}{upload.id}/{quote(upload.filename or 'file', safe='')}"

    def _known(self, match: re.Match[str]) -> str:
        upload_id, expires, signature = match.groups()
        connection = self._desk.connection
        upload = files.find(connection, upload_id)
        if upload is None or not files.is_signed(connection, upload_id, int(expires), signature):
            return match[0]
        return self._name(upload)
