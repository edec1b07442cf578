"""What the addresses answer: the list, the card, the editor, and the decisions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lakelight.console.card import ROOM, as_text, card_of, change_of, shown_change
from lakelight.console.desk import Desk
from lakelight.console.editing import edit_body, fields_of, read_json
from lakelight.console.edits import NoEdit, edited_operation, title_in
from lakelight.console.following import Following
from lakelight.console.forms import read_form
from lakelight.console.gate import session_of
from lakelight.console.keys import Keys
from lakelight.console.outcome import result_of
from lakelight.console.pages import Pages
from lakelight.console.records import Record, read_listing, read_record
from lakelight.guard import AlreadyDecided, Approval, approval_number
from lakelight.ids import fresh
from lakelight.notion import NotionError
from lakelight.operations import Operation

PAGE_SIZE = 40


class Site:
    """Shows approvals and takes decisions. It cannot write to Notion."""

    def __init__(self, desk: Desk, keys: Keys, pages: Pages, following: Following) -> None:
        self._desk = desk
        self._keys = keys
        self._pages = pages
        self._following = following

    async def home(self, request: Request) -> Response:
        """The list is the first page."""
        query = f"?{urlencode(request.query_params.multi_items())}" if request.query_params else ""
        return RedirectResponse(f"/approvals{query}", 303)

    async def listing(self, request: Request) -> Response:
        """What waits, oldest first, and below it what was decided, newest first."""
        wanted = request.query_params.get("page", "1")
        page = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 6 else 1  # noqa: PLR2004
        found = await self._desk.database.run(
            lambda connection: read_listing(connection, self._desk.approvals, page, size=PAGE_SIZE)
        )
        visitor = self._pages.visitor(request)
        return self._pages.show(
            request,
            "list.html",
            listing=found,
            pending=[card_of(each, visitor) for each in found.pending],
            decided=[card_of(each, visitor) for each in found.decided],
        )

    async def card(self, request: Request) -> Response:
        """One approval: to decide, or with what came of it."""
        return await self._card(request, whole=False)

    async def whole(self, request: Request) -> Response:
        """The same, however long it is."""
        return await self._card(request, whole=True)

    async def approve(self, request: Request) -> Response:
        """Say yes to the stored bytes, and see the run through."""
        await read_form(request, self._keys)
        approval = await self._desk.confirmations.approve(_number(request), self._desk.who)
        return await self._see_through(approval)

    async def reject(self, request: Request) -> Response:
        """Say no, with a reason for the agent."""
        form = await read_form(request, self._keys)
        comment = form.get("comment", "").replace("\r\n", "\n").strip()
        approval = await self._desk.confirmations.reject(_number(request), self._desk.who, comment)
        return await self._see_through(approval)

    async def edit(self, request: Request) -> Response:
        """The editor of an approval that waits."""
        approval = await self._waiting(request)
        return self._editor(request, approval, approval.operation.request.content)

    async def submit_edit(self, request: Request) -> Response:
        """Show an edited change, or say yes to it."""
        form = await read_form(request, self._keys)
        approval = await self._waiting(request)
        old = approval.operation.request.content
        problems: Mapping[str, str] = {}
        if form.get("how") == "json":
            try:
                body = read_json(form.get("body", ""))
            except ValueError as error:
                refusal = NoEdit("console.edit.bad_json", {"problem": str(error)})
                return self._editor(request, approval, old, form=form, refusal=refusal)
        else:
            edited = edit_body(old, form)
            body, problems = edited.body, edited.problems
        if problems:
            refusal = NoEdit("console.edit.problems", {"count": len(problems)})
            return self._editor(request, approval, old, form=form, problems=problems, refusal=refusal)
        operation = edited_operation(approval.operation, body, fresh("op"))
        if isinstance(operation, NoEdit):
            return self._editor(request, approval, old, form=form, refusal=operation)
        return await self._take_edit(request, approval, operation, form)

    async def decided_before(self, request: Request, error: Exception) -> Response:
        """The page for a decision that came too late."""
        number = _number(request)
        approval = await self._desk.database.run(
            lambda connection: self._desk.approvals.get(connection, number)
        )
        return self._pages.show(request, "decided.html", status=409, approval=approval, error=error)

    async def _take_edit(
        self, request: Request, approval: Approval, operation: Operation, form: Mapping[str, str]
    ) -> Response:
        title = title_in(operation) or str(approval.preview.get("title", ""))
        try:
            view = await self._desk.look(operation, title)
        except NotionError as error:
            refusal = NoEdit(error.message_key, error.facts)
            old = approval.operation.request.content
            return self._editor(request, approval, old, form=form, refusal=refusal, status=503)
        if form.get("do") != "approve":
            shown = shown_change(operation, view.preview)
            change = change_of(operation.kind, shown, room=ROOM)
            old = approval.operation.request.content
            return self._editor(request, approval, old, form=form, change=change, status=200)
        fresh_one = await self._desk.confirmations.edit(
            approval.number, self._desk.who, operation, view.preview, view.pre_state
        )
        return await self._see_through(fresh_one)

    async def _card(self, request: Request, *, whole: bool) -> Response:
        record = await self._record(_number(request))
        visitor = self._pages.visitor(request)
        approval = record.approval
        fault = self._following.fault(approval.run_id) if record.run_goes_on else None
        return self._pages.show(
            request,
            "card.html",
            record=record,
            card=card_of(approval, visitor, whole=whole),
            whole=whole,
            result=None if approval.state == "pending" else result_of(record, visitor.messages),
            fault=visitor.messages.explain(fault) if fault else "",
            token=self._token(request),
        )

    def _editor(
        self,
        request: Request,
        approval: Approval,
        body: Mapping[str, Any],
        *,
        form: Mapping[str, str] | None = None,
        problems: Mapping[str, str] | None = None,
        refusal: NoEdit | None = None,
        change: Any = None,
        status: int = 422,
    ) -> Response:
        visitor = self._pages.visitor(request)
        given = form or {}
        as_json = given.get("how") == "json"
        fields = fields_of(body)
        if given and not as_json:
            # What was typed stays in the fields, also where it is wrong.
            fields = [
                replace(each, value=given.get(each.name, "" if each.input == "check" else each.value))
                for each in fields
            ]
        return self._pages.show(
            request,
            "edit.html",
            status=status if form else 200,
            card=card_of(approval, visitor),
            fields=fields,
            body=given["body"] if as_json and "body" in given else as_text(dict(body)),
            as_json=as_json,
            problems=problems or {},
            refusal=visitor.say(refusal.key, **refusal.facts) if refusal else "",
            change=change,
            token=self._token(request),
        )

    async def _see_through(self, approval: Approval) -> Response:
        await self._following.follow(approval.run_id)
        # Changed since the preview: what is to be decided now is the new one.
        now = (await self._record(approval.number)).approval
        shown = now.successor if now.state == "stale" and now.successor else now.number
        return RedirectResponse(f"/approvals/A-{shown}", 303)

    async def _waiting(self, request: Request) -> Approval:
        approval = (await self._record(_number(request))).approval
        if approval.state != "pending":
            raise AlreadyDecided(
                approval=approval.key,
                state=approval.state,
                by=approval.decided_by or "-",
                at=approval.decided_at or "-",
            )
        return approval

    async def _record(self, number: int) -> Record:
        return await self._desk.database.run(
            lambda connection: read_record(connection, self._desk.approvals, number)
        )

    def _token(self, request: Request) -> str:
        return self._keys.form_token(session_of(request))


def _number(request: Request) -> int:
    return approval_number(str(request.path_params["key"]))
