"""The guard: decides about operations and never carries one out."""

from lakelight.guard.approvals import (
    AlreadyDecided,
    Approval,
    ApprovalError,
    Approvals,
    Asked,
    NoSuchApproval,
    approval_number,
)
from lakelight.guard.guard import Asker, Guard, OwnTicket, Review, effects
from lakelight.guard.permits import Permit
from lakelight.guard.policy import Cap, Decision, Facts, Reason, decide
from lakelight.guard.policy_file import Entry, Policy, load_policy, parse_policy
from lakelight.guard.scope import Scopes

__all__ = [
    "AlreadyDecided",
    "Approval",
    "ApprovalError",
    "Approvals",
    "Asked",
    "Asker",
    "Cap",
    "Decision",
    "Entry",
    "Facts",
    "Guard",
    "NoSuchApproval",
    "OwnTicket",
    "Permit",
    "Policy",
    "Reason",
    "Review",
    "Scopes",
    "approval_number",
    "decide",
    "effects",
    "load_policy",
    "parse_policy",
]
