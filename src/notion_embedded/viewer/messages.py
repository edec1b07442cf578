"""What the view says, in English and Chinese."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

Language = Literal["en", "zh"]

CATALOGUE: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "all_rows": "All rows",
        "back_home": "Home",
        "board": "Board",
        "comment_count": "{count} comments",
        "comments": "Comments",
        "contents": "Contents",
        "copy_of": "Synced copy",
        "days_ago": "{count} d ago",
        "edited": "edited",
        "empty_database": "No rows yet.",
        "empty_lane": "Nothing here",
        "empty_page": "Nothing on this page yet.",
        "empty_trash": "The trash is empty.",
        "expired": "expired",
        "file": "File",
        "found_for": "Pages with “{words}” in the title",
        "found_none": "No page has these words in its title.",
        "gone": "The server is gone. This page shows what it was last told.",
        "hint_empty_home": "This workspace is empty. What is written through the API appears here.",
        "home": "Home",
        "hours_ago": "{count} h ago",
        "just_now": "just now",
        "live_off": "Live",
        "live_off_hint": "Updates by itself. Stop that.",
        "live_on": "Paused",
        "live_on_hint": "Does not update by itself. Start that.",
        "minutes_ago": "{count} min ago",
        "missing": "There is no such page. It may be in the trash.",
        "more_found": "There are more; add a word.",
        "more_in": "and {count} more",
        "newer": "Previous",
        "no": "No",
        "no_status": "No status",
        "not_computed": "not computed here",
        "older": "Next",
        "open_database": "Open",
        "other_language": "中文",
        "pages": "Pages",
        "paging": "Pages of the table",
        "properties": "Properties",
        "range": "{first}–{last} of {total}",
        "read_only": "Read-only view of the embedded workspace. Times are UTC.",
        "recent": "Recent changes",
        "resolved": "Resolved",
        "rows_count": "{count} rows",
        "search": "Search",
        "search_for": "Search by title",
        "show_all_in": "{count} more",
        "skip": "Skip to content",
        "settings": "Settings",
        "sorted_by": "Sort by {name}",
        "sources": "Data sources",
        "synced": "Synced",
        "tab": "Tab",
        "table": "Table",
        "to_pages": "Pages",
        "trail": "Where this page is",
        "trash": "Trash",
        "trash_told": "Pages and databases in the trash. They come back when they are restored.",
        "unsupported": "Not shown here: {kind}",
        "untitled": "Untitled",
        "updated": "Updated",
        "updates_again": "The server is back.",
        "verified": "verified",
        "views": "Views",
        "yes": "Yes",
    },
    "zh": {
        "all_rows": "所有行",
        "board": "看板",
        "comment_count": "{count} 条评论",
        "comments": "评论",
        "contents": "目录",
        "copy_of": "同步副本",
        "days_ago": "{count} 天前",
        "edited": "已编辑",
        "empty_database": "还没有内容。",
        "empty_lane": "暂无",
        "empty_page": "这个页面还是空的。",
        "empty_trash": "回收站是空的。",
        "expired": "已过期",
        "file": "文件",
        "found_for": "标题含“{words}”的页面",
        "found_none": "没有标题含这些字的页面。",
        "gone": "服务已停止，这里显示的是最后收到的内容。",
        "hint_empty_home": "工作区还是空的。通过 API 写入的内容会出现在这里。",
        "home": "首页",
        "hours_ago": "{count} 小时前",
        "just_now": "刚刚",
        "live_off": "实时",
        "live_off_hint": "正在自动更新，点击停止",
        "live_on": "已暂停",
        "live_on_hint": "没有自动更新，点击开启",
        "minutes_ago": "{count} 分钟前",
        "missing": "没有这个页面，它可能已在回收站里。",
        "more_found": "还有更多，请再加几个字。",
        "more_in": "还有 {count} 个",
        "newer": "上一页",
        "no": "否",
        "no_status": "无状态",
        "not_computed": "此处不计算",
        "older": "下一页",
        "open_database": "打开",
        "other_language": "English",
        "pages": "页面",
        "paging": "表格分页",
        "properties": "属性",
        "range": "第 {first}–{last} 行，共 {total} 行",
        "read_only": "内置工作区的只读视图。时间为 UTC。",
        "recent": "最近改动",
        "resolved": "已解决",
        "rows_count": "{count} 行",
        "search": "搜索",
        "search_for": "按标题搜索",
        "show_all_in": "还有 {count} 张",
        "skip": "跳到正文",
        "settings": "设置",
        "sorted_by": "按“{name}”排序",
        "sources": "数据源",
        "synced": "同步块",
        "tab": "标签页",
        "table": "表格",
        "to_pages": "页面",
        "trail": "所在位置",
        "trash": "回收站",
        "trash_told": "放进回收站的页面和数据库，恢复后会回到原处。",
        "unsupported": "此处不显示：{kind}",
        "untitled": "无标题",
        "updated": "更新于",
        "updates_again": "服务已恢复。",
        "verified": "已验证",
        "views": "视图",
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
