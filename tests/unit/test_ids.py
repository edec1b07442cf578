"""Fresh ids differ and sort by time."""

from lakelight.ids import fresh


def test_fresh_ids_differ_and_have_one_shape() -> None:
    made = [fresh("op") for _ in range(1000)]

    assert len(set(made)) == 1000
    assert {(len(one), one[:3], one.lower()) for one in made} == {(29, "op_", one) for one in made}


def test_an_id_sorts_after_those_of_earlier_moments() -> None:
    first = fresh("run")
    while (later := fresh("run"))[:14] == first[:14]:
        pass

    assert later > first
