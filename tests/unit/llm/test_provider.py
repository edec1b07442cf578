"""Which host is which provider, and which models are weak at tools."""

import pytest

from lakelight.llm.provider import PROFILES, is_local, profile_for, weak_at_tools


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.openai.com", "openai"),
        ("notapi.openai.com.example.org", "plain"),
        ("dashscope.aliyuncs.com", "dashscope"),
        ("dashscope-intl.aliyuncs.com", "dashscope"),
        ("api.deepseek.com", "deepseek"),
        ("api.moonshot.cn", "moonshot"),
        ("open.bigmodel.cn", "zhipu"),
        ("api.siliconflow.cn", "siliconflow"),
        ("generativelanguage.googleapis.com", "gemini"),
        ("api.anthropic.com", "anthropic"),
        ("openrouter.ai", "plain"),
        ("127.0.0.1", "local"),
        ("192.168.1.20", "local"),
        ("localhost", "local"),
        ("ollama", "local"),
        ("gpu.local", "local"),
        ("::1", "local"),
        ("8.8.8.8", "plain"),
    ],
)
def test_the_host_tells_the_provider(host: str, name: str) -> None:
    assert profile_for(host).name == name
    assert is_local(host) == (name == "local")


@pytest.mark.parametrize(
    ("provider", "model", "weak"),
    [
        ("dashscope", "qwen-plus", False),
        ("openai", "gpt-5-mini", False),
        ("local", "qwen2.5-coder:1.5b", True),
        ("local", "qwen2.5:7b", False),
        ("local", "Qwen3-30B-A3B", False),
        ("local", "/models/qwen-1.5b.gguf", True),
        ("local", "llama3.3", True),
        ("siliconflow", "Qwen/Qwen2.5-3B-Instruct", True),
        ("plain", "mixtral-8x22b", False),
    ],
)
def test_the_size_in_its_name_or_else_the_provider_tells_whether_a_model_is_weak(
    provider: str, model: str, weak: bool
) -> None:
    assert weak_at_tools(PROFILES[provider], model) == weak
