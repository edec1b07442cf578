"""The chain holds, or says where it does not."""

from collections.abc import Callable
from dataclasses import fields, replace

import pytest
from hypothesis import given, strategies as st

from lakelight.audit import Broken, Event, verify
from lakelight.audit.chain import GENESIS, link


def event(seq: int, prev: str, **changed: str) -> Event:
    parts = {
        "event_id": f"evt_{seq}",
        "at": f"2026-11-30T08:00:0{seq}.000Z",
        "event": "guard.decision",
        "actor": "ai",
        "source": "tickets",
        "body": f'{{"count":{seq}}}',
        **changed,
    }
    return Event(seq=seq, prev=prev, hash=link(seq, *parts.values(), prev), **parts)


def chain(length: int) -> list[Event]:
    events: list[Event] = []
    for seq in range(1, length + 1):
        events.append(event(seq, events[-1].hash if events else GENESIS))
    return events


whole = chain(5)


@pytest.mark.parametrize("length", [0, 1, 5])
def test_a_chain_that_nobody_touched_holds(length: int) -> None:
    assert verify(chain(length)) == length


@pytest.mark.parametrize("noted", [0, 2, 4])
def test_a_head_that_was_noted_on_the_way_is_found(noted: int) -> None:
    assert verify(whole, head=whole[noted].hash) == 5


def _edited(name: str, value: str | int) -> Callable[[list[Event]], list[Event]]:
    return lambda events: [*events[:2], replace(events[2], **{name: value}), *events[3:]]  # type: ignore[arg-type]


def _edited_with_a_new_hash(events: list[Event]) -> list[Event]:
    return [*events[:2], event(3, events[1].hash, body='{"count":9}'), *events[3:]]


def _inserted(events: list[Event]) -> list[Event]:
    return [*events[:2], event(3, events[1].hash, body='{"count":9}'), *events[2:]]


def _inserted_and_numbered_anew(events: list[Event]) -> list[Event]:
    planted = _inserted(events)
    return [replace(one, seq=seq) for seq, one in enumerate(planted, start=1)]


TAMPERINGS: dict[str, tuple[Callable[[list[Event]], list[Event]], Broken]] = {
    "an edited body": (_edited("body", '{"count":9}'), Broken(3, "content")),
    "an edited time": (_edited("at", "2026-11-30T09:00:03.000Z"), Broken(3, "content")),
    "an edited name": (_edited("event", "guard.denied"), Broken(3, "content")),
    "an edited actor": (_edited("actor", "user"), Broken(3, "content")),
    "an edited source": (_edited("source", "cli"), Broken(3, "content")),
    "an edited id": (_edited("event_id", "evt_9"), Broken(3, "content")),
    "an edited hash": (_edited("hash", "0" * 64), Broken(3, "content")),
    "an edited number": (_edited("seq", 9), Broken(9, "gap")),
    "an edited link": (_edited("prev", "0" * 64), Broken(3, "link")),
    "an edit with a hash that fits it": (_edited_with_a_new_hash, Broken(4, "link")),
    "a removed row": (lambda events: events[:2] + events[3:], Broken(4, "gap")),
    "the first row removed": (lambda events: events[1:], Broken(2, "gap")),
    "swapped rows": (
        lambda events: [events[0], events[2], events[1], *events[3:]],
        Broken(3, "gap"),
    ),
    "swapped rows, numbered anew": (
        lambda events: [
            events[0],
            replace(events[2], seq=2),
            replace(events[1], seq=3),
            *events[3:],
        ],
        Broken(2, "link"),
    ),
    "an inserted row": (_inserted, Broken(3, "gap")),
    "an inserted row, numbered anew": (_inserted_and_numbered_anew, Broken(4, "link")),
    "a row twice": (lambda events: [*events[:3], *events[2:]], Broken(3, "gap")),
    "another first link": (lambda events: [event(1, "1" * 64), *events[1:]], Broken(1, "link")),
}


@pytest.mark.parametrize(("tamper", "found"), TAMPERINGS.values(), ids=TAMPERINGS)
def test_a_change_is_found_where_it_was_made(
    tamper: Callable[[list[Event]], list[Event]], found: Broken
) -> None:
    assert verify(tamper(whole)) == found


def test_rows_cut_off_at_the_end_are_found_by_a_noted_head() -> None:
    assert verify(whole[:3], head=whole[4].hash) == Broken(3, "head")
    assert verify([], head=whole[0].hash) == Broken(0, "head")


def test_rows_cut_off_at_the_end_are_not_found_without_a_noted_head() -> None:
    """A pinned limit: what follows the last noted head can be cut off unseen."""
    assert verify(whole[:3]) == 3


def test_a_chain_written_anew_is_found_by_a_noted_head() -> None:
    forged = [event(1, GENESIS, body='{"count":9}')]
    forged.append(event(2, forged[0].hash))

    assert verify(forged) == 2
    assert verify(forged, head=whole[1].hash) == Broken(2, "head")


@given(st.data())
def test_any_changed_character_anywhere_is_found(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, 4))
    name = data.draw(st.sampled_from([field.name for field in fields(Event) if field.name != "seq"]))
    text = str(getattr(whole[place], name))
    position = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters().filter(lambda char: char != text[position] and char.isprintable()))
    changed = replace(whole[place], **{name: text[:position] + other + text[position + 1 :]})

    assert isinstance(verify([*whole[:place], changed, *whole[place + 1 :]]), Broken)


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=4), st.integers(0, 20))
def test_text_moved_from_one_field_to_the_next_gives_another_hash(parts: list[str], cut: int) -> None:
    moved = [parts[0] + parts[1][:cut], parts[1][cut:], *parts[2:]]

    assert (link(1, *moved) == link(1, *parts)) == (moved == parts)


def test_an_event_is_exported_as_one_object() -> None:
    assert whole[0].export() == {
        "audit_event": "guard.decision",
        "event_id": "evt_1",
        "seq": 1,
        "at": "2026-11-30T08:00:01.000Z",
        "actor": "ai",
        "source": "tickets",
        "count": 1,
        "prev": GENESIS,
        "hash": whole[0].hash,
    }
