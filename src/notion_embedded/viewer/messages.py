"""What the view says, in English and Chinese."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

Language = Literal["en", "zh"]

CATALOGUE: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "agent": "bot",
        "board": "Board",
        "by": "by",
        "days_ago": "{count} d ago",
        "empty_database": "No rows yet.",
        "empty_page": "Nothing on this page yet.",
        "file": "File",
        "first_rows": "The first {count} rows are shown.",
        "home": "Home",
        "hours_ago": "{count} h ago",
        "just_now": "just now",
        "live_off": "Stop updating",
        "live_on": "Update by itself",
        "minutes_ago": "{count} min ago",
        "missing": "There is no such page. It may be in the trash.",
        "no": "No",
        "no_status": "No status",
        "not_available": "not available",
        "other_language": "中文",
        "pages": "Pages",
        "properties": "Properties",
        "read_only": "Read-only view of the embedded workspace. Times are UTC.",
        "recent": "Recent changes",
        "search_hint": "Skip to content",
        "table": "Table",
        "unsupported": "Not shown here: {kind}",
        "untitled": "Untitled",
        "updated": "Updated",
        "yes": "Yes",
    },
    "zh": {
        "agent": "机器人",
        "board": "看板",
        "by": "由",
        "days_ago": "{count} 天前",
        "empty_database": "还没有内容。",
        "empty_page": "这个页面还是空的。",
        "file": "文件",
        "first_rows": "只显示前 {count} 行。",
        "home": "首页",
        "hours_ago": "{count} 小时前",
        "just_now": "刚刚",
        "live_off": "停止自动刷新",
        "live_on": "自动刷新",
        "minutes_ago": "{count} 分钟前",
        "missing": "没有这个页面，它可能已在回收站里。",
        "no": "否",
        "no_status": "无状态",
        "not_available": "无法显示",
        "other_language": "English",
        "pages": "页面",
        "properties": "属性",
        "read_only": "内置工作区的只读视图。时间为 UTC。",
        "recent": "最近改动",
        "search_hint": "跳到正文",
        "table": "表格",
        "unsupported": "此处不显示：{kind}",
        "untitled": "无标题",
        "updated": "更新于",
        "yes": "是",
    },
}

_PREFERENCE = re.compile(r"\s*([a-zA-Z]{1,8}|\*)(?:-[\w-]+)?\s*(?:;\s*q=([01](?:\.\d{1,3})?))?\s*$")


def choose_language(asked: str | None, accepted: str) -> Language:
    """Return the language asked for in the address, else the browser's favourite of ours."""
    if asked in {"en", "zh"}:
        return "zh" if asked == "zh" else "en"
    best: tuple[float, Language] = (0.0, "en")
    for part in accepted.split(","):
        match = _PREFERENCE.match(part)
        name = match.group(1).lower() if match else ""
        weight = float(match.group(2) or 1) if match else 0.0
        if name in {"en", "zh"} and weight > best[0]:
            best = (weight, "zh" if name == "zh" else "en")
    return best[1]


def ago(moment: datetime, now: datetime, language: Language) -> str:
    """Say how long ago a moment was; after a week, its date."""
    words = CATALOGUE[language]
    passed = now - moment
    if passed >= timedelta(days=7):
        return f"{moment:%Y-%m-%d}"
    minutes = int(passed / timedelta(minutes=1))
    if minutes < 1:
        return words["just_now"]
    hours, days = minutes // 60, minutes // 1440
    name, count = ("days_ago", days) if days else ("hours_ago", hours) if hours else ("minutes_ago", minutes)
    return words[name].format(count=count)
