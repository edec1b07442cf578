"""The planner that asks a language model."""

from lakelight.agent.planners.model.outline import Names
from lakelight.agent.planners.model.planner import ModelPlanner

__all__ = ["ModelPlanner", "Names"]
