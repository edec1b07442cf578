"""Putting the chunks of a streamed answer together, as the answer would have come in one piece. Pure.

Endpoints number and name the pieces of parallel calls in their own ways: no index, one index for all,
no id, an empty id in every piece but the first, one id for all.
"""

from typing import Any

from lakelight.llm.arguments import arguments_in


class Gathering:
    """The answer so far. What is fed to it need not have the form that it should have."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._head: dict[str, Any] = {}
        self._finish: str | None = None
        self._refused = False

    def feed(self, chunk: object) -> str:
        """Take one chunk in; returns the text that came with it."""
        if not isinstance(chunk, dict):
            return ""
        for key in ("model", "usage", "error"):
            if chunk.get(key):
                self._head[key] = chunk[key]
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        if choice.get("error"):
            self._head["error"] = choice["error"]
        if isinstance(choice.get("finish_reason"), str) and choice["finish_reason"]:
            self._finish = choice["finish_reason"]
        delta = choice.get("delta") or choice.get("message")
        return self._take(delta) if isinstance(delta, dict) else ""

    @property
    def finished(self) -> bool:
        """Whether the answer came to its end, by the endpoint's own account."""
        return self._finish is not None or "usage" in self._head or "error" in self._head

    def body(self) -> dict[str, Any]:
        """The answer as the body of a response that was not streamed."""
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._texts)}
        if self._thoughts:
            message["reasoning_content"] = "".join(self._thoughts)
        if self._refused:
            message["refusal"] = True
        if self._calls:
            message["tool_calls"] = [call.entry() for call in self._calls]
        return {**self._head, "choices": [{"message": message, "finish_reason": self._finish}]}

    def _take(self, delta: dict[str, Any]) -> str:
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thought, str):
            self._thoughts.append(thought)
        if delta.get("refusal"):
            self._refused = True
        entries = delta.get("tool_calls")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                self._take_call(entry)
        if isinstance(delta.get("function_call"), dict):
            self._take_call({"index": 0, "function": delta["function_call"]})
        text = _text_in(delta.get("content"))
        self._texts.append(text)
        return text

    def _take_call(self, entry: dict[str, Any]) -> None:
        function = entry["function"] if isinstance(entry.get("function"), dict) else entry
        id_, name = _word(entry.get("id")), _word(function.get("name"))
        arguments = function.get("arguments")
        index = entry.get("index") if isinstance(entry.get("index"), int) else None
        call = self._call_for(id_, name, index, has_arguments=bool(arguments))
        if index is not None:
            self._by_index[index] = call
        call.id = call.id or id_
        call.name = call.name or name
        if isinstance(arguments, str):
            call.pieces.append(arguments)
        elif arguments is not None:
            call.whole = arguments

    def _call_for(self, id_: str, name: str, index: int | None, *, has_arguments: bool) -> "_Call":
        """The call that a piece belongs to; a new one when it opens one."""
        known = self._known(id_, name, index)
        if known is None or (id_ and known.id and id_ != known.id):
            return self._open()
        if name and known.name and name != known.name:
            return self._open()
        # Under an id and index that it knows, a piece that names a tool again opens another call only
        # when the one before is whole: some endpoints repeat the name in every piece.
        if name and has_arguments and known.complete:
            return self._open()
        return known

    def _known(self, id_: str, name: str, index: int | None) -> "_Call | None":
        if id_:
            same = [call for call in self._calls if call.id == id_]
            if same:
                return same[-1]
        if index is not None and index in self._by_index:
            return self._by_index[index]
        last = self._calls[-1] if self._calls else None
        # Without a number it is about the call that is being written, and so is a nameless piece with
        # a number that was never opened.
        if id_ or last is None or (index is not None and (name or last.complete)):
            return None
        return last

    def _open(self) -> "_Call":
        call = _Call()
        self._calls.append(call)
        return call


class _Call:
    """One call, while its pieces come in."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.whole: object = None

    @property
    def complete(self) -> bool:
        """Whether it has a name and arguments that can be read."""
        text = "".join(self.pieces)
        return bool(self.name) and (
            self.whole is not None or (bool(text.strip()) and isinstance(arguments_in(text), dict))
        )

    def entry(self) -> dict[str, Any]:
        arguments = "".join(self.pieces) if self.whole is None else self.whole
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": arguments},
        }


def _text_in(content: object) -> str:
    if isinstance(content, list):
        return "".join(_text_in(part.get("text")) for part in content if isinstance(part, dict))
    return _word(content)


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
