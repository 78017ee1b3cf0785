"""Files may name public items by official keys; reports reveal nothing about other items."""

import pytest

from benchmarks.models.answers import ItemSeal
from evaluation.submissions.lint.check import SEVERAL, UNKNOWN, lint
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import header, items_of, json_lines, upload
from tests.factories import make_item, set_expected

pytestmark = pytest.mark.django_db


def file_of(pack, names):
    return json_lines(header(pack), *({"item": name, "answer": "yes"} for name in names))


def report(pack, names):
    return lint(upload(file_of(pack, names)))


def named(item) -> str:
    return f"{item.key}|{item.kind}|{item.variant}"


def test_items_are_named_by_key_by_key_kind_and_variant_or_by_id(pack, submitter):
    for name in (lambda item: item.key, named, lambda item: item.public_id):
        run = submit(file=upload(file_of(pack, [name(item) for item in items_of(pack)])), user=submitter.user)
        assert set(run.cells.values_list("item", flat=True)) == {item.pk for item in items_of(pack)}
        assert report(pack, map(name, items_of(pack))).score == 0.5
    drawn = report(pack, [item.draw_key for item in items_of(pack)]).problems
    assert {problem.what for problem in drawn} == {UNKNOWN, "no answer with seed 0"}


def test_a_key_of_two_items_has_to_say_which(pack):
    first, *rest = items_of(pack)
    make_item(pack, key=first.key, variant="false", expected="no", public_id="small9")
    [problem, *missing] = report(pack, [item.key for item in (first, *rest)]).problems
    assert (problem.line, problem.item, problem.what) == (2, first.key, SEVERAL)
    assert {one.code for one in missing} == {"missing"}
    assert report(pack, [named(item) for item in items_of(pack)]).ok


def test_an_item_named_twice_in_two_ways_is_a_duplicate(pack):
    items = items_of(pack)
    [problem] = report(pack, [*(item.public_id for item in items), items[1].key]).problems
    assert (problem.line, problem.code, problem.item) == (6, "duplicate", items[1].key)


@pytest.mark.parametrize("hides", ["seal", "withhold", "withheld"])
def test_a_report_tells_nothing_of_a_key_that_is_not_public(pack, hides):
    """The key of a sealed or withheld item gives the same message and line as a key that never existed."""
    first, *rest = items_of(pack)
    if hides == "withhold":
        set_expected([first], None)
    else:
        ItemSeal.objects.create(item=first, by="answers" if hides == "withheld" else "trial:one")
    others = [item.public_id for item in rest]

    def told(name):
        found = report(pack, [name, *others])
        return [(one.line, one.code, one.what, one.item == name) for one in found.problems], found.rows

    made_up = told("level1/ColorRed/999")
    assert made_up[0][0] == (2, "unknown-item", UNKNOWN, True)
    assert [told(name) for name in (first.key, named(first), first.draw_key)] == [made_up] * 3
