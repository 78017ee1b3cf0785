"""Checks of a file against its items: every problem by line and item, coverage, and a dry-run score."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from evaluation.models import Run
from evaluation.submissions.lint import check
from evaluation.submissions.lint.check import SEVERAL, UNKNOWN, lint
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import (
    CODES,
    good_file,
    gzipped,
    header,
    items_of,
    json_lines,
    rows_for,
    upload,
)
from tests.factories import make_item, set_expected

pytestmark = pytest.mark.django_db


def linted(*records, given_header=None):
    return lint(upload(json_lines(*records)), given_header)


def problems(*records, given_header=None):
    """(code, line, item) of every problem."""
    return [(each.code, each.line, each.item) for each in linted(*records, given_header=given_header).problems]


@pytest.mark.parametrize(
    ("answer", "kind", "score", "unread"),
    [
        ("yes", "answer", 0.5, 0),
        (" YES ", "answer", 0.5, 0),
        ("Yes, it is.", "reply", 0.5, 0),
        ("Maybe.", "reply", 0.0, 4),
    ],
)
def test_a_good_file_has_no_problem_and_a_score(pack, answer, kind, score, unread):
    report = lint(upload(good_file(pack, answer, kind)))
    assert (report.ok, report.rows, report.score, report.unread) == (True, 4, score, unread)
    parser = "grasp-paper 2" if kind == "reply" else "as-given 1"
    assert report.facts == {"ok": True, "rows": 4, "score": score, "parser": parser, "notes": [], "problems": []}


WRONG = [
    ({"item": "nothing", "answer": "yes"}, "unknown-item"),
    ({"item": "smallopen", "answer": "red"}, "unknown-item"),
    ({"item": "small1", "answer": "no"}, "duplicate"),
    ({"item": "small1", "reply": "no"}, "mixed"),
]
REFUSED = [
    ({"item": "small3", "answer": "maybe"}, "not-an-option"),
    ({"item": "small3", "answer": "yes", "seed": -1}, "seed"),
    ({"item": "small3", "answer": 1}, "value"),
    ({"item": "small3", "answer": "yes", "sure": 1}, "fields"),
    ({"item": "small3", "reply": "yes"}, "mixed"),
]


def test_a_wrong_row_is_one_problem_with_its_line_and_item(pack):
    """An item whose row was refused is not called missing, too."""
    for row, code in WRONG:
        assert (code, 6, row["item"]) in problems(header(pack), *rows_for(pack), row)
    for row, code in REFUSED:
        assert problems(header(pack), *rows_for(pack)[:3], row) == [(code, 5, "small3")]
        assert problems(header(pack), *rows_for(pack)[:2], row) == [(code, 4, "small3"), ("missing", None, "small2")]
    assert str(linted(header(pack), REFUSED[0][0]).problems[0]) == "line 2, item small3: 'maybe' is none of: yes, no"


def test_each_seed_must_answer_every_item(pack):
    rows = [row | {"seed": seed} for seed in (0, 1) for row in rows_for(pack)]
    assert problems(header(pack), *rows) == []
    assert problems(header(pack), *rows[:-1]) == problems(header(pack), *rows[:3]) == [("missing", None, "small3")]
    refused = {"item": "small3", "answer": "yes", "seed": "?"}  # it stands for one missing answer of two
    others = [row for row in rows if row["item"] != "small3"]
    assert problems(header(pack), *others, refused) == [("seed", 8, "small3"), ("missing", None, "small3")]


def test_seeds_are_limited(pack, monkeypatch):
    monkeypatch.setattr(check, "SEEDS", 2)
    rows = [{"item": "small0", "answer": "yes", "seed": seed} for seed in (5, 6, 7)]
    assert ("seed", 4, "small0") in problems(header(pack), *rows)


def test_an_answer_to_a_question_in_own_words_must_be_an_option(pack):
    row = {"item": "smallopen", "answer": "green"}
    report = linted(header(pack, strategy="open"), row)
    assert "none of: red, blue" in report.problems[0].what


HEADERS = [
    ({"benchmark": "grips"}, "`benchmark` is 'grips'; there are: grasp"),
    ({"pack": "large"}, "`pack` is 'large'; there are: small"),
    ({"strategy": "hypnosis"}, "`strategy` is 'hypnosis'; there are: binary,"),
    ({"condition": "text"}, "`condition` is 'text'; there are: video,"),
    ({"split": "test"}, "`split` is 'test'; there are: all,"),
    ({"split": "official"}, "`split` is 'official'; there are: all,"),
    ({"model": " "}, "`model` must be a name"),
    ({"model": "a\nb"}, "`model` must be a name"),
    ({"model": "m" * 121}, "`model` must be a name"),
    ({"model": ""}, "the header lacks model"),
    ({"model": ["a"]}, "`model` must be text"),
    ({"note": "hello"}, "unknown field 'note'"),
    ({"revision": "r" * 65}, "`revision` has at most 64"),
    ({"strategy": "plausibility"}, "no items of this strategy"),
]


def test_a_wrong_header_says_what_there_is(pack):
    for changes, sentence in HEADERS:
        (problem,) = linted(header(pack) | changes, *rows_for(pack)).problems
        assert (problem.code, problem.line) == ("header", 1), changes
        assert sentence in str(problem)
    assert problems(header(pack, model="m" * 120, revision="r" * 64), *rows_for(pack)) == []


def test_a_file_has_a_header_and_two_must_agree(pack):
    assert problems(*rows_for(pack)) == [("header", 1, "")]
    assert problems(header(pack), *rows_for(pack), given_header={"split": "all"}) == []
    assert problems(header(pack), *rows_for(pack), given_header={"split": "paper"}) == [("header", 1, "")]


def test_coverage_counts_items_by_facets_that_do_not_tell_the_answer(pack):
    coverage = linted(header(pack), *rows_for(pack)[:3]).coverage
    assert {each.facet for each in coverage} == {"level", "test"}
    of_tests = {each.value: (each.answered, each.wanted) for each in coverage if each.facet == "test"}
    assert of_tests == {"Color": (2, 2), "Shape": (1, 2)}


@pytest.mark.parametrize("is_loaded", [True, False])
def test_withheld_answers_are_outside_the_dry_run_score(pack, is_loaded):
    first, second, *_rest = items_of(pack)
    ItemSeal.objects.create(item=first, by=WITHHELD)
    set_expected(pack.items.filter(pk=second.pk), None)
    if not is_loaded:
        ItemSeal.objects.all().delete()
        set_expected(pack.items.filter(pk=first.pk), None)
    report = lint(upload(good_file(pack)))
    assert (report.ok, report.scored, report.score) == (True, 2, 0.5)


def test_an_item_of_an_open_study_is_as_unknown_as_one_that_never_was(pack):
    good = good_file(pack)
    ItemSeal.objects.create(item=items_of(pack)[0], by="trial:now")
    report = lint(upload(good))
    assert [(each.item, each.code) for each in report.problems] == [("small0", "unknown-item")]
    never = lint(upload(good.replace(b"small0", b"small9"))).problems
    assert [each.what for each in never] == [each.what for each in report.problems]


def test_a_file_to_withheld_answers_has_one_seed(pack):
    set_expected(pack.items.filter(public_id="small0"), None)
    rows = [row | {"seed": seed} for seed in (4, 5) for row in rows_for(pack)]
    report = linted(header(pack), *rows)
    assert {each.what for each in report.problems} == {
        "seed 5 is one too many: answers of this split are withheld, so that a file has one seed"
    }
    assert linted(header(pack), *rows[:4]).ok


@pytest.mark.parametrize("hide", [True, False])
def test_what_a_parser_can_not_read_does_not_depend_on_a_hidden_answer(pack, monkeypatch, hide):
    """The official rule uses the answer: several words count as false, not unclear, if the true one is missing."""
    monkeypatch.setitem(check.TAKEN, "reply", "grasp-official")
    unread, asked = [], pack.items.filter(kind="open")
    asked.update(options=["red", "blue", "green"])
    if hide:
        ItemSeal.objects.create(item=asked.get(), by=WITHHELD)
    for expected in ("red", "blue"):
        set_expected(asked, expected)
        rows = [{"item": "smallopen", "reply": "blue or green"}]
        unread.append(linted(header(pack, strategy="open"), *rows).unread)
    assert unread == ([1, 1] if hide else [0, 1])


def test_reading_stops_after_many_problems(pack, monkeypatch):
    monkeypatch.setattr(check, "PROBLEMS", 3)
    report = linted(header(pack), *["x"] * 10)
    assert [each.code for each in report.problems] == ["not-json"] * 3 + ["too-many"]


def test_a_truncated_archive_is_one_problem_and_its_rest_is_not_called_missing(pack):
    rows = [{"item": f"no-{number}", "answer": "yes"} for number in range(5000)]
    content = gzipped(json_lines(header(pack), *rows))[:-2000]
    report = lint(upload(content))
    assert report.problems[-1].code == "broken-archive"
    assert "missing" not in {each.code for each in report.problems}


def test_lint_writes_nothing_and_asks_the_same_number_of_questions(pack, django_assert_num_queries):
    rows, head = rows_for(pack), header(pack)
    for seeds in (1, 9):
        with django_assert_num_queries(5):
            linted(head, *(row | {"seed": seed} for seed in range(seeds) for row in rows))
    assert not Run.objects.exists()


EXAMPLES = int(os.environ.get("EXAMPLES", "40"))  # `make soak PART=properties` takes more
VALUES = st.one_of(
    st.none(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["small0", "small1", "yes"])
)
RECORDS = st.dictionaries(st.sampled_from(["item", "answer", "reply", "seed", "x"]), VALUES, max_size=4)


def test_rows_in_are_rows_accounted_for(pack):
    @settings(max_examples=EXAMPLES)
    @given(records=st.lists(RECORDS, max_size=12))
    def accounted_for(records):
        report = linted(header(pack), *records)
        in_lines = [each for each in report.problems if each.line]
        assert report.rows + len(in_lines) == len(records)
        assert {each.code for each in report.problems} <= set(CODES)
        assert report.ok == (not report.problems)

    accounted_for()


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
