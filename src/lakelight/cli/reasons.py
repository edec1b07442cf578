"""The words for why a ticket is where it is."""

from collections.abc import Mapping

from lakelight.messages import Messages

_PREFIXES = {
    "waiting": "wait.",
    "skipped": "skip.",
    "failed": "fail.",
    "ignored": "drop.",
    "dropped": "drop.",
}


def reason_text(messages: Messages, state: str, reason: str, facts: Mapping[str, object]) -> str:
    """The sentence for a reason of the ledger with its facts; empty for no reason.

    Args:
        state: Where the ticket is, or came to: the same reason reads otherwise for a ticket that waits
            and for one that has failed.
    """
    if not reason:
        return ""
    told = {**facts, "reason": reason}
    if reason.startswith("guard_") and facts.get("rule"):
        return _joined(messages, f"wait.{reason}", f"guard.reason.{facts['rule']}", told)
    if reason == "agent_off" and facts.get("off_reason"):
        return _joined(messages, "skip.agent_off", f"off.{facts['off_reason']}", told)
    own = _PREFIXES.get(state, "wait.") + reason
    key = own if messages.has(own) else reason
    return messages.say(key, **told)


def _joined(messages: Messages, first: str, second: str, facts: Mapping[str, object]) -> str:
    between = "" if messages.language == "zh" else " "
    return between.join((messages.say(first, **facts), messages.say(second, **facts)))
