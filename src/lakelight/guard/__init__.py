"""The guard: decides about operations and never carries one out."""

from lakelight.guard.approvals import Approval, Approvals
from lakelight.guard.guard import Asker, Guard, OwnTicket, Review, effects
from lakelight.guard.permits import Permit
from lakelight.guard.policy import Cap, Decision, Facts, Reason, decide
from lakelight.guard.policy_file import Entry, Policy, load_policy, parse_policy
from lakelight.guard.scope import Scopes

__all__ = [
    "Approval",
    "Approvals",
    "Asker",
    "Cap",
    "Decision",
    "Entry",
    "Facts",
    "Guard",
    "OwnTicket",
    "Permit",
    "Policy",
    "Reason",
    "Review",
    "Scopes",
    "decide",
    "effects",
    "load_policy",
    "parse_policy",
]
