"""Planners: each implements `lakelight.agent.planning.Planner`."""
