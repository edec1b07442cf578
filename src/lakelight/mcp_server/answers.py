"""What a client is told about a call: a few lines for its model, and the same as values. Pure.

Nothing is called done that the outcome does not call so. What went wrong has a `code`, a `message` and a
`fix`, and `retry_after_seconds` where that is known.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lakelight.agent.reply import Effect, Reply
from lakelight.agent.undos import Undone
from lakelight.errors import LakelightError
from lakelight.guard import Approval
from lakelight.mcp_server.change import change_text
from lakelight.mcp_server.records import Record
from lakelight.messages import Messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a call."""

    text: str
    data: Mapping[str, Any]
    error: bool = False
    """True when what was asked for was not done and does not merely wait."""


class Teller:
    """Says what came of calls, in one language."""

    def __init__(self, messages: Messages, clean: Callable[[str], str]) -> None:
        self._messages = messages
        self._clean = clean

    def error(self, error: LakelightError) -> Answer:
        """The answer for an error of ours."""
        key = error.message_key if self._messages.has(error.message_key) else error.code
        return self.fault(key, error.facts, code=error.code)

    def fault(self, key: str, facts: Mapping[str, Any], *, code: str = "", **more: Any) -> Answer:
        """The answer that says with the sentence of `key` why nothing was done."""
        message = self._clean(self._messages.say(key, **facts))
        _, _, fix = message.partition(self._messages.say("doctor.next_step"))
        data: dict[str, Any] = {
            "status": "failed",
            "code": code or key,
            "message": message,
            "fix": fix.strip() or self._messages.say("mcp.fix"),
            **more,
        }
        after = _seconds(facts.get("retry_after"))
        if after is not None:
            data["retry_after_seconds"] = after
        return Answer(text=f"{data['code']}: {message}", data=data, error=True)

    def run(self, record: Record, *, console: str | None, now: datetime) -> Answer:
        """What came of a run, or how far it is."""
        if record.waits_for is not None:
            return self.waiting(record.waits_for, console)
        if record.reply is not None:
            return self._over(record, record.reply)
        if record.run.over:
            return self.fault("mcp.cancelled", {}, run=record.run.id)
        if record.run.state == "waiting":
            return self._unsettled(record, now)
        text = self._messages.say("mcp.working", run=record.run.id)
        return Answer(text=text, data={"status": "working", "run": record.run.id, "next": text})

    def waiting(self, approval: Approval, console: str | None) -> Answer:
        """A write that waits for a person."""
        say = self._messages.say
        diff = change_text(approval, self._messages)
        url = f"{console.rstrip('/')}/approvals/{approval.key}" if console else None
        next_step = (
            say("mcp.next_console", approval=approval.key, url=url)
            if url
            else say("mcp.next_shell", approval=approval.key)
        )
        data = {
            "status": "waiting_approval",
            "approval": approval.key,
            "run": approval.run_id,
            "diff": diff,
            "url": url,
            "next": next_step,
        }
        text = "\n".join([say("mcp.waiting", approval=approval.key), diff, next_step])
        return Answer(text=text, data=data)

    def decided(self, approval: Approval) -> Answer:
        """What became of a question, where its run has nothing to tell."""
        state = self._messages.say(f"approval.state.{approval.state}")
        by = self._messages.say(
            "approval.decided_by", state=state, by=approval.decided_by or "-", at=approval.decided_at or "-"
        )
        data = {"status": approval.state, "approval": approval.key, "run": approval.run_id}
        return Answer(text=f"{approval.key}: {by}", data=data)

    def undone(self, run_id: str, told: Sequence[Undone]) -> Answer:
        """What came of taking a run back."""
        writes = [{"kind": each.kind, "title": each.title, "result": each.result} for each in told]
        lines = [
            self._messages.say(
                f"undo.{each.result}",
                what=f"{self._messages.say(f'kind.{each.kind}')} · {each.title}",
                **each.facts,
            )
            for each in told
        ]
        text = "\n".join(lines)
        left = [each for each in told if each.result not in {"undone", "undone_before"}]
        if not left:
            return Answer(text=text, data={"status": "done", "run": run_id, "undone": writes})
        _, _, fix = text.partition(self._messages.say("doctor.next_step"))
        data = {
            "status": "stopped" if any(each.result == "stopped" for each in left) else "failed",
            "run": run_id,
            "undone": writes,
            "code": f"undo.{left[0].result}",
            "message": text,
            "fix": fix.strip() or self._messages.say("mcp.fix"),
        }
        return Answer(text=text, data=data, error=True)

    def _over(self, record: Record, reply: Reply) -> Answer:
        done = [_written(step) for step in record.steps if step["outcome"] == "written"]
        known: dict[str, Any] = {"run": record.run.id, **({"done": done} if done else {})}
        if reply.question is not None:
            return self._question(reply.question, known)
        for effect in (*reply.stopped, *reply.failed, *reply.cancelled):
            return self._not_done(effect, known)
        if reply.ending != "done":
            return self.fault("mcp.cancelled", {}, **known)
        return self._done(record, known)

    def _done(self, record: Record, known: dict[str, Any]) -> Answer:
        found = [step for step in record.steps if step["outcome"] == "found"]
        lines = [str(step["text"]) for step in found]
        data = {"status": "done", **known}
        if found:
            values = {name: value for name, value in found[-1]["data"].items() if name != "sources"}
            data["result"] = values
        for each in known.get("done", ()):
            kind = self._messages.say(f"kind.{each['kind']}")
            what = f"{kind} · {each['title']}"
            why = self._messages.say("reply.off_trail") if each.get("on_trail") is False else ""
            lines.append(self._messages.say("reply.done", what=what, why=why).rstrip(" ·"))
            lines.append(" ".join([f"ids={','.join(each['ids'])}", each["url"]]).strip())
            if each.get("differences"):
                lines.append(self._messages.say("mcp.differs", where=each["differences"]))
        if "done" in known:
            data["undo"] = self._messages.say("mcp.undo", run=record.run.id)
            lines.append(data["undo"])
        return Answer(text="\n".join(lines), data=data)

    def _question(self, question: Mapping[str, Any], known: Mapping[str, Any]) -> Answer:
        text = self._messages.say(question["key"], **question["facts"])
        candidates = [
            {name: value for name, value in each.items() if value} for each in question["candidates"]
        ]
        next_step = self._messages.say("mcp.choose" if candidates else "mcp.name_it")
        data = {
            "status": "question",
            "question": text,
            "candidates": candidates,
            "next": next_step,
            **known,
        }
        lines = [f"{each.get('title', '')} id={each['id']} {each.get('url', '')}" for each in candidates]
        return Answer(text="\n".join([text, *map(str.rstrip, lines), next_step]), data=data)

    def _not_done(self, effect: Effect, known: Mapping[str, Any]) -> Answer:
        facts = dict(effect.facts)
        match effect.reason.split("."):
            case ["guard", "reason", rule]:
                code = f"guard.{facts.get('decision', 'deny')}"
                answer = self.fault(effect.reason, facts, code=code, reason=rule, **known)
                return _with_status(answer, "stopped")
            case ["wait", "rejected" | "rejected_unexplained"]:
                key = "mcp.rejected" if facts.get("comment") else "mcp.rejected_unexplained"
                answer = self.fault(key, {"by": "-", "approval": "-", **facts}, **known)
                return _with_status(answer, "rejected")
            case ["fail", "refused"]:
                notion = {"status": facts.get("status"), "notion_code": facts.get("code")}
                key = f"notion.{facts.get('code')}"
                key = key if self._messages.has(key) else "notion.refused"
                return self.fault(key, {**facts, **notion}, **known)
            case [""]:
                return self.fault("lakelight.error", {}, **known)
            case _:
                return self.fault(effect.reason, facts, **known)

    def _unsettled(self, record: Record, now: datetime) -> Answer:
        due = record.run.due_at
        seconds = max(1, round((due - now).total_seconds())) if due else 5
        text = self._messages.say("mcp.unsettled", run=record.run.id, seconds=seconds)
        data = {"status": "unsettled", "run": record.run.id, "retry_after_seconds": seconds, "next": text}
        return Answer(text=text, data=data)


def _written(step: Mapping[str, Any]) -> dict[str, Any]:
    names = ("kind", "title", "target", "ids", "url", "differences")
    found = {name: step["data"].get(name) for name in names}
    told = {name: value for name, value in found.items() if value or name in {"title", "ids", "url"}}
    return {**told, "on_trail": False} if step["data"].get("reason") == "reply.off_trail" else told


def _with_status(answer: Answer, status: str) -> Answer:
    return Answer(text=answer.text, data={**answer.data, "status": status}, error=True)


def _seconds(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
