"""The page about MCP names every tool, every status and every code, and its configurations can be pasted."""

import json
import re
from pathlib import Path

from lakelight.mcp_server.offer import offered
from lakelight.tools.registry import standard_tools

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
SOURCE = "\n".join(file.read_text() for file in (ROOT / "src/lakelight/mcp_server").glob("*.py"))


def test_every_tool_is_documented() -> None:
    tools = offered((tool.spec for tool in standard_tools().values()), read_only=False)

    assert [tool.name for tool in tools if f"| `{tool.name}` |" not in PAGE] == []


def test_every_status_is_documented() -> None:
    found = set(re.findall(r'"status": "(\w+)"|_with_status\(answer, "(\w+)"\)', SOURCE))
    statuses = {name for pair in found for name in pair if name}

    assert statuses >= {"done", "question", "waiting_approval", "stopped", "failed"}
    assert [status for status in statuses if f"| `{status}` |" not in PAGE] == []


def test_every_code_of_the_servers_own_is_documented() -> None:
    codes = set(re.findall(r'fault\(\s*"(mcp\.\w+)"', SOURCE))

    assert len(codes) > 5
    assert [code for code in codes if f"`{code}`" not in PAGE] == []


def test_the_configurations_start_the_command() -> None:
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]

    for block in blocks:
        server = block["mcpServers"]["lakelight"]
        assert server["command"].endswith("/.venv/bin/lakelight")
        assert "mcp" in server["args"]
    assert len(blocks) == 2
