"""Language models: the port, the errors, the routes and the router.

Adapters are not exported: `lakelight.bootstrap` names them, and they bring heavy libraries.
"""

from lakelight.llm.errors import (
    ModelError,
    ModelLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnreachable,
    ModelUnusable,
)
from lakelight.llm.port import ChatEndpoint, Completion, Message, Model, Purpose, TaskKind
from lakelight.llm.router import RoutedModel, Waits
from lakelight.llm.routes import DEFAULT_ROUTES, Route, Routes, load_routes, with_one_model
from lakelight.llm.usage import NoUsage, Usage, UsageLog

__all__ = [
    "DEFAULT_ROUTES",
    "ChatEndpoint",
    "Completion",
    "Message",
    "Model",
    "ModelError",
    "ModelLimited",
    "ModelRefused",
    "ModelTimeout",
    "ModelUnauthorized",
    "ModelUnreachable",
    "ModelUnusable",
    "NoUsage",
    "Purpose",
    "Route",
    "RoutedModel",
    "Routes",
    "TaskKind",
    "Usage",
    "UsageLog",
    "Waits",
    "load_routes",
    "with_one_model",
]
