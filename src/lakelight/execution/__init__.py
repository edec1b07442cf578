"""The one door: every write goes through here, and only here is the writing side of Notion held."""

from lakelight.execution.door import Door, Surroundings, View
from lakelight.execution.executor import Executor
from lakelight.execution.intents import Intent, find_intent

__all__ = ["Door", "Executor", "Intent", "Surroundings", "View", "find_intent"]
