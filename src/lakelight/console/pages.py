"""Pages: the templates, and what every one of them knows."""

import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from lakelight.clock import Clock
from lakelight.console.visitor import Visitor, choose_language
from lakelight.messages import Language, Messages
from lakelight.operations.visible import visible

LANGUAGE = "lakelight_lang"
_YEAR = 365 * 24 * 3600
_WRITTEN_OUT = re.compile(r"(⟨U\+[0-9A-F]{4,6}⟩)")


class Pages:
    """Holds the templates, the style sheet and the icon."""

    def __init__(self, clock: Clock, language: Language, *, link: Callable[[str], str], command: str) -> None:
        self._clock = clock
        self._language = language
        self._link = link
        self._command = command
        here = files("lakelight.console")
        self._style = here.joinpath("console.css").read_text("utf-8")
        self._icon = here.joinpath("console.svg").read_text("utf-8")
        self._templates = Environment(
            loader=PackageLoader("lakelight.console"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.filters["seen"] = seen
        self._templates.filters["prose"] = prose

    def visitor(self, request: Request) -> Visitor:
        """Who reads the page that is asked for."""
        language = choose_language(
            request.query_params.get("lang"),
            request.cookies.get(LANGUAGE),
            request.headers.get("accept-language", ""),
            self._language,
        )
        return Visitor(messages=Messages(language, self._command), now=self._clock.now(), link=self._link)

    def show(self, request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page in the visitor's language, which is remembered when it was asked for."""
        visitor = self.visitor(request)
        language = visitor.messages.language
        other = "en" if language == "zh" else "zh"
        html = self._templates.get_template(template).render(
            {
                "visitor": visitor,
                "say": visitor.say,
                "language": language,
                "other": other,
                # A form that was answered with a page is asked for again as the page it came from.
                "other_href": "?" + urlencode({"lang": other}) if request.method == "GET" else "",
                "again": False,
                "wrong": False,
                "signed_in": status != 401,  # noqa: PLR2004 - the status says it
                **values,
            }
        )
        response = HTMLResponse(html, status)
        if request.query_params.get("lang") == language:
            response.set_cookie(LANGUAGE, language, max_age=_YEAR, path="/", samesite="strict")
        return response

    def style(self, _request: Request) -> Response:
        """The style sheet."""
        return Response(self._style, media_type="text/css")

    def icon(self, _request: Request) -> Response:
        """The icon for the browser's tab."""
        return Response(self._icon, media_type="image/svg+xml")


def prose(text: str) -> Markup:
    """A sentence of ours: as `seen`, with what stands between backticks as code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(seen(part)) if index % 2 else seen(part)
        for index, part in enumerate(text.split("`"))
    )


def seen(text: object) -> Markup:
    """`text`, escaped, with the characters that do not show written out and marked."""
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(_WRITTEN_OUT.split(visible(str(text))))
    )
