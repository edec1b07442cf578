"""What a test turns behind the API's back: faults, budget, clock and webhooks; and what is sent by itself."""

from notion_embedded.control.clock import ControlledClock
from notion_embedded.control.errands import Errands
from notion_embedded.control.gate import Control

__all__ = ["Control", "ControlledClock", "Errands"]
