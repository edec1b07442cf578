"""What the offline planner takes for a sentence, over 500 titles, beside plain hassil on the same sentences.

Plain hassil matches each sentence once against the same templates and every title, column and option there
is. It neither resolves names nor refuses what is negated or only half understood.
"""

import statistics
import sys
import time
from collections.abc import Callable

from hassil.intents import Intents, SlotList, TextSlotList
from hassil.recognize import recognize

from lakelight.agent.planners.offline.grammar import Grammar, grammar
from lakelight.agent.planners.offline.index import (
    IndexedColumn,
    IndexedPage,
    IndexedSource,
    WorkspaceIndex,
)
from lakelight.agent.planners.offline.lookup import Lookup
from lakelight.agent.planners.offline.planner import plan_turn
from lakelight.agent.planning import CallTools, Turn
from lakelight.messages import Language

BUDGET = 3.0
"""Milliseconds for the median sentence."""
ROUNDS = 30
TOOLS = (
    "search_workspace", "fetch_page_markdown", "query_database", "get_database_schema",
    "append_content", "update_page_property", "create_page", "archive_page", "ask_user",
)  # fmt: skip
SENTENCES: dict[Language, tuple[str, ...]] = {
    "en": (
        "search for docker cheat sheets",
        "read Docker notes",
        "what does Docker notes say?",
        "list tickets in Tickets where Priority is High and State is Ready",
        "append to Docker notes: buy milk, eggs and bread",
        "add a line to the page Docker notes: done",
        "set Priority of Tidy up to High",
        "read ticket 12",
        "create a page called Minutes in Docker notes",
        "archive Docker notes and Deployment guide",
    ),
    "zh": (
        "搜索 Docker 相关的笔记",
        "读取部署手册",
        "部署手册里写了什么？",
        "列出半体工单里状态为待开发的工单",
        "在部署手册末尾追加：重启服务，然后检查日志",
        "在页面“部署手册”的最后面加一行：完成",
        "把整理接口文档的优先级改为高",
        "读取任务 13",
        "在部署手册下新建页面“会议纪要”",
        "归档部署手册和项目计划",
    ),
}


def workspace() -> WorkspaceIndex:
    """500 titles in two languages, and two ticket databases."""
    named = ("Docker notes", "Deployment guide", "部署手册", "项目计划")
    titles = [*named, *(f"Filler page {at} 填充" for at in range(494))]
    pages = [IndexedPage(id=f"{at:032x}", title=title) for at, title in enumerate(titles, 1)]
    pages.append(IndexedPage(id=f"{900:032x}", title="Tidy up", source="en", number="T-12"))
    pages.append(IndexedPage(id=f"{901:032x}", title="整理接口文档", source="zh", number="T-13"))
    english = {
        "Priority": IndexedColumn(type="select", options=("High", "Low")),
        "State": IndexedColumn(type="status", options=("Ready", "Done")),
    }
    chinese = {
        "优先级": IndexedColumn(type="select", options=("高", "低")),
        "状态": IndexedColumn(type="status", options=("待开发", "已完成")),
    }
    sources = (
        IndexedSource(id="en", title="Tickets", columns=english),
        IndexedSource(id="zh", title="半体工单", columns=chinese),
    )
    return WorkspaceIndex(pages=tuple(pages), sources=sources)


def bare(words: Grammar, language: Language, index: WorkspaceIndex) -> tuple[Intents, dict[str, SlotList]]:
    """The templates as they stand, and what their slots can hold."""
    content = words._content  # noqa: SLF001  - the peer is to have the very same templates
    intents = Intents.from_dict(
        {
            "language": language,
            "settings": {"ignore_whitespace": language == "zh"},
            "lists": content["lists"],
            "expansion_rules": content["rules"],
            "intents": {
                name: {"data": [{"sentences": said["full"]}]}
                for name, said in content["intents"].items()
                if name != "condition"
            },
        }
    )

    def listed(name: str, values: list[str]) -> SlotList:
        return TextSlotList.from_tuples([(each, each) for each in values], allow_template=False, name=name)

    titles, databases = [page.title for page in index.pages], [source.title for source in index.sources]
    columns = [name for source in index.sources for name in source.columns]
    options = [each for source in index.sources for one in source.columns.values() for each in one.options]
    return intents, {
        **{name: listed(name, titles) for name in ("page", "known_page")},
        **{name: listed(name, databases) for name in ("database", "known_database")},
        "column": listed("column", columns),
        "option": listed("option", options),
    }


def timed(work: Callable[[str], object], sentences: tuple[str, ...]) -> list[float]:
    """Milliseconds of processor time a sentence: of each, the median of all rounds."""
    found = []
    for sentence in sentences:
        work(sentence)
        rounds = []
        for _ in range(ROUNDS):
            start = time.process_time()
            work(sentence)
            rounds.append((time.process_time() - start) * 1000)
        found.append(statistics.median(rounds))
    return found


def main() -> None:
    """Print one row a language; too slow, or a sentence that is not understood, is a failure."""
    index = workspace()
    lookup = Lookup(index)
    slow = False
    for language, sentences in SENTENCES.items():

        def ours(sentence: str, language: Language = language) -> object:
            return plan_turn(Turn(request=sentence, language=language), lookup, TOOLS)

        for sentence in sentences:
            if not isinstance(ours(sentence), CallTools):
                sys.exit(f"not understood: {sentence}")
        intents, lists = bare(grammar(language), language, index)

        def theirs(sentence: str, intents: Intents = intents, lists: dict[str, SlotList] = lists) -> object:
            return recognize(sentence, intents, slot_lists=lists)

        mine, peer = timed(ours, sentences), timed(theirs, sentences)
        known = sum(theirs(each) is not None for each in sentences)
        median, beside = statistics.median(mine), statistics.median(peer)
        print(
            f"a sentence in {language}  {median:5.2f} ms, longest {max(mine):5.2f} ms"
            f"  ({median / beside:.2f} x plain hassil: {beside:.2f} ms,"
            f" which knows {known} of {len(sentences)})"
        )
        slow = slow or median > BUDGET
    if slow:
        sys.exit(f"over the budget of {BUDGET} ms")


if __name__ == "__main__":
    main()
