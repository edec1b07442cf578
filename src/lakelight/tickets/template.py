"""A receipt without a model: the facts of a ticket in order, and nothing that would need thought.

It says that no model is set up and how to set one up. It never pretends to have worked.
"""

import re

from lakelight.tickets.language import Language
from lakelight.tickets.prompt import task_kind
from lakelight.tickets.quoting import escape, quote
from lakelight.tickets.references import RelatedPage
from lakelight.tickets.roster import Agent
from lakelight.tickets.ticket import Ticket

MOST_QUOTED = 1_500
MOST_QUESTIONS = 5

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "notice": (
            "**没有设置模型。** 这份回执由模板按工单上的事实排列而成，没有分析，也没有执行任何任务。"
            "设置 `GH_LLM_API_KEY`（以及需要时的 `GH_LLM_BASE_URL`）并重新启动后，"
            "用 `lakelight tickets retry` 让 {agent} 再处理一次。"
        ),
        "asked": "要做什么",
        "constraints": "约束",
        "handoff": "下一轮指引",
        "related": "相关页面",
        "open": "未决事项",
        "model": "需要模型的部分",
        "number": "编号",
        "title": "标题",
        "priority": "优先级",
        "branch": "分支名",
        "repository": "仓库路径",
        "no_constraints": "工单没有写约束。",
        "no_related": "按标题没有找到相关页面。",
        "no_open": "没有发现缺少的信息或未回答的问题。",
        "no_brief": "开发内容是空的，页面里也没有正文：需要补充要做什么。",
        "brief_in_page": "开发内容是空的，要求只写在页面正文里。",
        "no_repository": "没有写仓库路径。",
        "no_branch": "没有写分支名。",
        "question": "工单里的问题：{text}",
        "to_do": "页面里未勾选的事项：{text}",
        "undecided": "写着待定的内容：{text}",
        "coding": "编写和检查代码，估计改动范围，列出测试。",
        "reasoning": "理解要求，权衡做法，给出结论和步骤。",
        "simple": "按要求改写或格式化文字。",
        "answers": "回答上面的未决事项。",
        "reading": "阅读相关页面并提炼与工单有关的内容。",
        "cut": "……（原文 {whole} 字）",
    },
    "en": {
        "notice": (
            "**No model is set up.** A template put the facts of the ticket in order here; nothing was "
            "analysed and no task was carried out. Set `GH_LLM_API_KEY` (and `GH_LLM_BASE_URL` if needed), "
            "start again, and have {agent} take the ticket once more with `lakelight tickets retry`."
        ),
        "asked": "What is asked",
        "constraints": "Constraints",
        "handoff": "Handoff note",
        "related": "Related pages",
        "open": "Open points",
        "model": "What a model would be needed for",
        "number": "Number",
        "title": "Title",
        "priority": "Priority",
        "branch": "Branch",
        "repository": "Repository",
        "no_constraints": "The ticket names no constraints.",
        "no_related": "No related page was found by the title.",
        "no_open": "No missing information and no unanswered question was found.",
        "no_brief": "The brief is empty and the page has no text: what is to be done has to be added.",
        "brief_in_page": "The brief is empty; what is asked stands on the page only.",
        "no_repository": "No repository is named.",
        "no_branch": "No branch is named.",
        "question": "A question in the ticket: {text}",
        "to_do": "Not ticked on the page: {text}",
        "undecided": "Marked as undecided: {text}",
        "coding": "Writing and checking the code, judging how far the change reaches, listing the tests.",
        "reasoning": "Understanding what is asked, weighing the ways to do it, a conclusion and the steps.",
        "simple": "Rewriting or formatting the text as asked.",
        "answers": "Answering the open points above.",
        "reading": "Reading the related pages and drawing from them what concerns the ticket.",
        "cut": "… ({whole} characters in the original)",
    },
}
_ENDS = re.compile(r"(?<=[。！!？?\n；;])")
_TO_DO = re.compile(r"^[ \t]*[-*] \[ \] (.+)$", re.MULTILINE)
_UNDECIDED = re.compile(
    r"^.*(?:待定|待确认|未定|(?<![a-z])(?:TBD|TODO|to be decided)(?![a-z])).*$", re.MULTILINE | re.IGNORECASE
)
_URL = re.compile(r"(?<!\w)\w{1,20}://\S+")


def template_receipt(
    ticket: Ticket, agent: Agent, related: list[RelatedPage], page_body: str, language: Language
) -> str:
    """The body of a receipt made of facts alone, for `lakelight.tickets.receipt.compose`."""
    words = _WORDS[language]
    points = open_points(ticket, agent, page_body, language)
    rows = [
        f"- {words[role]}: {escape(value)}"
        for role in ("number", "title", "priority", "repository", "branch")
        if (value := str(getattr(ticket, role)))
    ]
    needed = [words[task_kind(ticket, agent)]]
    needed += [words["reading"]] if related else []
    needed += [words["answers"]] if points else []
    parts = [
        words["notice"].format(agent=escape(agent.name)),
        f"### {words['asked']}",
        "\n".join(rows),
        _quoted(ticket.brief or page_body, words),
        f"### {words['constraints']}",
        _quoted(ticket.constraints, words) or words["no_constraints"],
        *((f"### {words['handoff']}", _quoted(ticket.handoff, words)) if ticket.handoff else ()),
        f"### {words['related']}",
        _items([_link(page) for page in related]) or words["no_related"],
        f"### {words['open']}",
        _items(points) or words["no_open"],
        f"### {words['model']}",
        _items(needed),
    ]
    return "\n\n".join(part for part in parts if part)


def open_points(ticket: Ticket, agent: Agent, page_body: str, language: Language) -> list[str]:
    """What is missing from the ticket or asked in it, as sentences in Markdown."""
    words = _WORDS[language]
    points = []
    if not ticket.brief:
        points.append(words["brief_in_page" if page_body.strip() else "no_brief"])
    if task_kind(ticket, agent) == "coding":
        points += [words["no_repository"]] if not ticket.repository else []
        points += [words["no_branch"]] if not ticket.branch else []
    text = f"{ticket.title}\n{ticket.brief}\n{ticket.constraints}\n{ticket.handoff}\n{page_body}"
    # A query in a URL is no question.
    prose = _URL.sub(" ", text)
    # Cut into sentences first: to look for an end from every start takes for ever on a long text.
    sentences = [sentence for sentence in _ENDS.split(prose) if sentence.endswith(("?", "？"))]
    points += _found("question", sentences, words)
    points += _found("to_do", _TO_DO.findall(prose), words)
    points += _found("undecided", _UNDECIDED.findall(prose), words)
    return points


def _quoted(text: str, words: dict[str, str]) -> str:
    shown = text.strip()
    if len(shown) <= MOST_QUOTED:
        return quote(shown)
    return f"{quote(shown[:MOST_QUOTED])}\n> {words['cut'].format(whole=len(shown))}"


def _found(key: str, texts: list[str], words: dict[str, str]) -> list[str]:
    trimmed = dict.fromkeys(text.strip(" -*>#\t") for text in texts)
    whole = [text for text in trimmed if len(text) > 1]
    return [words[key].format(text=escape(text[:200])) for text in whole[:MOST_QUESTIONS]]


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _link(page: RelatedPage) -> str:
    title = escape(page.title) or "—"
    return f"[{title}]({page.url})" if re.fullmatch(r"https?://[^\s()<>]+", page.url) else title
