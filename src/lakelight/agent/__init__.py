"""Runs and their journal: how a piece of work survives everything but being finished."""

from lakelight.agent.journal import Journal
from lakelight.agent.progress import Progress, Silent
from lakelight.agent.runs import Run, Runs
from lakelight.agent.usage import UsageTable, models_of, tokens_of

__all__ = ["Journal", "Progress", "Run", "Runs", "Silent", "UsageTable", "models_of", "tokens_of"]
