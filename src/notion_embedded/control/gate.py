"""The door in front of the API when control was asked for: it logs, limits and breaks requests.

It wraps the finished application and knows nothing of what is behind it, so that a fault can do to a
request whatever a network or a proxy could. The control API itself stands beside the API, under
`/control`, and takes no token but its own.
"""

import asyncio
import json
import secrets
from http import HTTPStatus

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from notion_embedded.control import faults
from notion_embedded.control.api import control_app
from notion_embedded.control.clock import ControlledClock
from notion_embedded.control.faults import Fault
from notion_embedded.control.state import State
from notion_embedded.http.answers import Answers
from notion_embedded.model.checks import Json
from notion_embedded.store.workspace import Workspace

PREFIX = "/control"
DROP = "notion_embedded.drop"
"""The ASGI extension by which the server lets an application cut its connection."""


class Control:
    """The control API of a workspace, and the door that it works on."""

    def __init__(self, workspace: Workspace, clock: ControlledClock | None = None) -> None:
        self.token = f"control_{secrets.token_hex(24)}"
        self._state = State(workspace, clock)
        self._app = control_app(self._state, self.token)
        self._answers = Answers(workspace)

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application behind the door."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            path = scope.get("path", "")
            if scope["type"] == "http" and (path == PREFIX or path.startswith(f"{PREFIX}/")):
                await self._app(scope, receive, send)
            elif scope["type"] == "http" and path.startswith("/v1/"):
                await self._pass(app, scope, receive, send)
            else:
                await app(scope, receive, send)

        return guarded

    async def _pass(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        visit = self._state.visit(scope)

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
            await send(message)

        wait = self._state.over_budget(visit)
        if wait is not None:
            await self._refuse(_too_many(wait), scope, receive, noting)
            return
        met = self._state.fault_for(visit)
        if met is None:
            await app(scope, receive, noting)
            return
        await asyncio.sleep(met.delay)
        if met.status is None and not met.drop:
            await app(scope, receive, noting)
        elif met.when == "before":
            await self._break(met, None, scope, receive, noting)
        else:
            await self._break_after(met, app, scope, receive, noting)

    async def _break_after(
        self, met: Fault, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Let the request be carried out, and lose the answer. One that was refused is told as it is."""
        asked = bytearray()
        answered: list[Message] = []

        async def listening() -> Message:
            message = await receive()
            asked.extend(message.get("body", b""))
            return message

        async def keeping(message: Message) -> None:
            answered.append(message)

        await app(scope, listening, keeping)
        if answered and answered[0]["status"] >= HTTPStatus.BAD_REQUEST:
            met.met -= 1
            for message in answered:
                await send(message)
            return
        body = b"".join(message.get("body", b"") for message in answered[1:])
        await self._break(met, _committed(scope["path"], bytes(asked), body), scope, receive, send)

    async def _break(
        self, met: Fault, committed: Json | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if not met.drop:
            await self._refuse(met, scope, receive, send, committed)
            return
        drop = scope.get("extensions", {}).get(DROP)
        if drop is None:
            raise ConnectionResetError("the connection was dropped by a fault")
        drop()
        # The server would answer for an application that returns without a word.
        while (await receive())["type"] != "http.disconnect":
            pass

    async def _refuse(
        self, met: Fault, scope: Scope, receive: Receive, send: Send, committed: Json | None = None
    ) -> None:
        status, headers, body = faults.answer(met, committed)
        if isinstance(body, str):
            await HTMLResponse(body, status, headers)(scope, receive, send)
            return
        response = self._answers.response(status, body)
        response.headers.update(headers)
        await response(scope, receive, send)


def _too_many(wait: int) -> Fault:
    return faults.read_fault({"status": int(HTTPStatus.TOO_MANY_REQUESTS), "retry_after": wait}, "budget")


def _committed(path: str, asked: bytes, answered: bytes) -> Json:
    """What a write stored, as an answer that it was saved names it."""
    try:
        request, answer = json.loads(asked or b"{}"), json.loads(answered)
    except ValueError:
        return {}
    if answer.get("object") != "list":
        return {"committed_resource_id": answer["id"]} if "id" in answer else {}
    children = request.get("children", [])
    ids = [item["id"] for item in answer["results"][: len(children)]]
    return {"committed_resource_id": path.split("/")[3], "committed_child_ids": ids}
