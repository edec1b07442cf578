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
from lakelight.llm.fence import fence, fence_name, tame
from lakelight.llm.port import (
    Called,
    ChatEndpoint,
    ChatMessage,
    ChatModel,
    ChatRequest,
    Completion,
    Message,
    Model,
    Purpose,
    RawCall,
    Returned,
    Said,
    TaskKind,
    ToolCall,
    UnreadCall,
    Utterance,
)
from lakelight.llm.provider import PROFILES, Profile
from lakelight.llm.router import RoutedModel, Waits
from lakelight.llm.routes import DEFAULT_ROUTES, Route, Routes, load_routes, with_one_model
from lakelight.llm.usage import NoUsage, Usage, UsageLog

__all__ = [
    "DEFAULT_ROUTES",
    "PROFILES",
    "Called",
    "ChatEndpoint",
    "ChatMessage",
    "ChatModel",
    "ChatRequest",
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
    "Profile",
    "Purpose",
    "RawCall",
    "Returned",
    "Route",
    "RoutedModel",
    "Routes",
    "Said",
    "TaskKind",
    "ToolCall",
    "UnreadCall",
    "Usage",
    "UsageLog",
    "Utterance",
    "Waits",
    "fence",
    "fence_name",
    "load_routes",
    "tame",
    "with_one_model",
]
