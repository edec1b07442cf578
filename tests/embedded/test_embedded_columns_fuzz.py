"""Whatever a schema edit, a value or a query says, it is carried out or refused, and never breaks."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from notion_embedded.http import databases, pages, query, sources
from notion_embedded.http.call import NEWEST, Call
from notion_embedded.http.desk import Desk
from notion_embedded.model.errors import ApiError
from notion_embedded.server import open_workspace
from notion_embedded.store import tokens

Json = dict[str, Any]

names = st.sampled_from(
    ["Name", "Link", "Back", "N", "F", "R", "S", "V", "P", "New", "Related to A (New)", ""]
)
expressions = st.sampled_from(
    [
        "1",
        'prop("N") + 1',
        'prop("F")',
        'prop("R") * 2',
        'prop("Name") + prop("S")',
        'empty(prop("Link"))',
        "((",
        "",
    ]
)
functions = st.sampled_from(
    ["sum", "show_original", "show_unique", "earliest_date", "percent_checked", "count", "x"]
)
rollups = st.fixed_dictionaries(
    {"function": functions, "relation_property_name": names, "rollup_property_name": names}
)


def columns(source: str) -> st.SearchStrategy[Any]:
    relation = st.sampled_from(
        [
            {"data_source_id": source, "dual_property": {}},
            {"data_source_id": source, "dual_property": {"synced_property_name": "Back"}},
            {"data_source_id": source, "single_property": {}},
            {"data_source_id": source, "type": "dual_property"},
            {"dual_property": {"synced_property_name": 1}},
            {},
        ]
    )
    return st.one_of(
        st.none(),
        st.fixed_dictionaries({"name": names}),
        st.fixed_dictionaries({"relation": relation}),
        st.fixed_dictionaries({"rollup": rollups}),
        st.fixed_dictionaries({"formula": st.fixed_dictionaries({"expression": expressions})}),
        st.sampled_from(
            [{kind: {}} for kind in ("number", "rich_text", "select", "status", "date", "people", "place")]
        ),
        st.sampled_from(
            [{kind: {}} for kind in ("verification", "button", "unique_id", "checkbox", "title")]
        ),
        st.just({"select": {"options": [{"name": "a"}]}}),
        st.sampled_from([5, "number", [], {}, {"number": 1}, {"rollup": {}}, {"relation": []}]),
    )


scalars = st.sampled_from([None, True, 0, -1.5, 1e308, "a", "", "me", "today", "2026-05-04", [], {}])
conditions = st.dictionaries(
    st.sampled_from(["equals", "contains", "is_empty", "before", "greater_than", "status", "next_month"]),
    scalars,
    max_size=2,
)
kinds = st.sampled_from(
    [
        "number",
        "rich_text",
        "date",
        "checkbox",
        "select",
        "relation",
        "people",
        "verification",
        "title",
        "unique_id",
    ]
)
leaves = st.dictionaries(kinds, conditions, max_size=2)
wraps = st.dictionaries(
    st.sampled_from(["any", "every", "none", "number", "date", "string", "checkbox"]),
    leaves | conditions,
    max_size=1,
)
filters = st.builds(
    lambda name, kind, inner: {"property": name, kind: inner},
    names,
    st.sampled_from(["rollup", "formula", "number", "relation", "verification", "rich_text"]),
    wraps | conditions,
)
sorts = st.lists(
    st.fixed_dictionaries({"property": names, "direction": st.sampled_from(["ascending", "descending"])}),
    max_size=2,
)
values = st.dictionaries(
    names,
    st.dictionaries(
        st.sampled_from(
            ["number", "relation", "place", "verification", "select", "formula", "rollup", "title"]
        ),
        scalars
        | st.sampled_from([{"lat": 1, "lon": 2}, {"state": "verified"}, {"name": "a"}, [{"id": "x"}]]),
        max_size=2,
    ),
    max_size=2,
)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    with open_workspace(folder / "workspace.db") as workspace:
        yield workspace


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_nothing_that_is_said_breaks_the_server(office: Any, data: st.DataObject) -> None:
    with office.writing() as connection:
        token = tokens.find_token(connection, office.token)
        assert token is not None

        def ask(handler: Any, body: Json, **path: str) -> Json:
            call = Call(version=NEWEST, path=path, query={}, body=body)
            connection.execute("SAVEPOINT asked")
            try:
                return dict(handler(Desk(office, connection, token), call))
            except ApiError:
                connection.execute("ROLLBACK TO asked")
                return {}
            finally:
                connection.execute("RELEASE asked")

        schema = {"N": {"number": {}}, "S": {"select": {}}, "V": {"verification": {}}, "P": {"place": {}}}
        body = {"parent": {"page_id": office.root_page_id}, "initial_data_source": {"properties": schema}}
        source = ask(databases.create_database, body)["data_sources"][0]["id"]
        link = {"Link": {"relation": {"data_source_id": source, "dual_property": {}}}}
        ask(sources.update_source, {"properties": link}, data_source_id=source)
        rows: list[str] = []
        for number in range(2):
            values_given = {"N": {"number": number}, "Link": {"relation": [{"id": row} for row in rows]}}
            body = {"parent": {"data_source_id": source}, "properties": values_given}
            rows.append(ask(pages.create_page, body)["id"])
        for _ in range(4):
            edit = data.draw(st.dictionaries(names, columns(source), max_size=3))
            ask(sources.update_source, {"properties": edit}, data_source_id=source)
            ask(
                pages.update_page, {"properties": data.draw(values)}, page_id=data.draw(st.sampled_from(rows))
            )
            asked = {"filter": data.draw(filters), "sorts": data.draw(sorts)}
            ask(query.query_source, asked, data_source_id=source)
        assert len(ask(query.query_source, {}, data_source_id=source)["results"]) == 2
