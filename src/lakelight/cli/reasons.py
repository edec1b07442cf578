"""The words for why a ticket is where it is."""

from collections.abc import Mapping

from lakelight.messages import Messages

_PREFIXES = ("wait.", "skip.", "fail.", "drop.", "")


def reason_text(messages: Messages, reason: str, facts: Mapping[str, object]) -> str:
    """The sentence for a reason of the ledger with its facts; empty for no reason."""
    if not reason:
        return ""
    told = {**facts, "reason": reason}
    if reason.startswith("guard_") and facts.get("rule"):
        return _joined(messages, f"wait.{reason}", f"guard.reason.{facts['rule']}", told)
    if reason == "agent_off" and facts.get("off_reason"):
        return _joined(messages, "skip.agent_off", f"off.{facts['off_reason']}", told)
    key = next((prefix + reason for prefix in _PREFIXES if messages.has(prefix + reason)), reason)
    return messages.say(key, **told)


def _joined(messages: Messages, first: str, second: str, facts: Mapping[str, object]) -> str:
    between = "" if messages.language == "zh" else " "
    return between.join((messages.say(first, **facts), messages.say(second, **facts)))
