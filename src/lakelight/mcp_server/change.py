"""What would be changed, as lines of text for somebody who decides. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from lakelight.guard import Approval
from lakelight.messages import Messages

ROOM = 6_000
"""Characters of a change that are shown; the whole is in the console and on the command line."""


def change_text(approval: Approval, messages: Messages) -> str:
    """The exact change that `approval` asks about: what is deleted first, then columns and what is added."""
    say, preview = messages.say, approval.preview
    kind = say(f"kind.{approval.operation.kind.value}")
    why = f"approval.why.{approval.reason}"
    head = [
        _whole(f"{kind} · {preview.get('title') or approval.operation.target}"),
        str(preview.get("url") or ""),
        say(why) if messages.has(why) else approval.reason,
    ]
    foot = [
        *(say(note, **_facts(preview)) for note in preview.get("notes", ())),
        say(f"preview.undo.{preview.get('undo', 'possible')}"),
    ]
    lines, left_out = _fitting(_lines(preview))
    if left_out:
        lines.append(say("mcp.cut", count=left_out, approval=approval.key))
    return "\n".join(line for line in (*head, *lines, *foot) if line)


def _lines(preview: Mapping[str, Any]) -> Iterable[str]:
    for line in preview.get("deleted", ()):
        yield f"- {_indented(line)}"
    for row in preview.get("rows", ()):
        yield _whole(f"{row['column']}: {row['before'] or '–'} → {row['after'] or '–'}")
    for line in preview.get("added", ()):
        yield f"+ {_indented(line)}"


def _indented(line: Mapping[str, Any]) -> str:
    return _whole("  " * int(line.get("depth", 0)) + str(line.get("text", "")))


def _whole(text: str) -> str:
    # A line break in the content must not begin what looks like a line of ours.
    return text.replace("\n", "\n      ")


def _fitting(lines: Iterable[str]) -> tuple[list[str], int]:
    fitting: list[str] = []
    left_out, used = 0, 0
    for line in lines:
        used += len(line) + 1
        if used <= ROOM:
            fitting.append(line)
        else:
            left_out += 1
    return fitting, left_out


def _facts(preview: Mapping[str, Any]) -> dict[str, Any]:
    return {**(preview.get("counts") or {}), "hosts": preview.get("hosts") or ()}
