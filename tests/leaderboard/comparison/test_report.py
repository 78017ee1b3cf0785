import json
import re
from dataclasses import replace
from itertools import product

import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from benchmarks.models.answers import ItemSeal
from evaluation.models import Listing, Run
from leaderboard.charts.difference_chart import difference_chart
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.comparison import report
from leaderboard.comparison.answers import sentence_of
from leaderboard.comparison.row_choices import rows_to_choose, slots_of
from leaderboard.pages.comparison import table_of
from leaderboard.publications.paper_tables import table_named
from leaderboard.standings.paired_differences import known_items, paired
from leaderboard.standings.refresh import refresh
from leaderboard.templatetags.board import row_options
from measures.estimate import difference
from tests.factories import answer_to, make_answer, make_model, make_pack, make_run
from tests.leaderboard.conftest import answer_all, answered, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def both(physics, study):
    """People, and a model that always says yes, on the same six clips."""
    run = answered(physics, "yes", "Yes-man")
    refresh()
    return "trial-study", f"run-{run.pk}"


def address(first, second, **more):
    return f"/compare/?a={first}&b={second}" + "".join(f"&{name}={value}" for name, value in more.items())


@pytest.mark.requirement("M7")
def test_two_rows_are_tested_on_the_items_that_both_answered(both, physics):
    """One is right on all but the last of six clips, the other always says yes."""
    run = make_run(physics, strategy="plausibility", model=make_model(name="Nearly"))
    last = physics.items.order_by("key").last()
    answer_all(run, lambda item: {"yes": "no", "no": "yes"}[answer_to(item)] if item == last else answer_to(item))
    refresh()
    found = report.compare(*(report.find_row(key) for key in (f"run-{run.pk}", both[1])), "test")
    assert (found.overall.n, found.overall.clips) == (6, 6)
    table = [[found.together.both, found.together.only_first], [found.together.only_second, found.together.neither]]
    assert table == [[2, 3], [1, 0]]
    seen = 4 / 2**4  # the probability of one of four: mid-P leaves out half of it on either side
    assert found.overall.p == pytest.approx(mcnemar(table, exact=True).pvalue - seen)
    raw = [group.difference.p for group in found.groups]
    assert [group.p_holm for group in found.groups] == pytest.approx(list(multipletests(raw, method="holm")[1]))


def test_two_rows_have_their_test_their_sign_and_their_chart(both, visitor):
    people, yes = (report.find_row(key) for key in both)
    found = report.compare(people, yes, "test").overall
    fixed = difference([replace(pair, voters=()) for pair in report.compare(people, yes, "test").pairs])
    assert (found.test, fixed.test) == ("score test", "McNemar, mid-P")
    assert found.interval.low < 0 < found.interval.high
    assert found.p > 0.05
    # the other way round has the opposite sign
    there, back = (report.compare(*(report.find_row(key) for key in keys)) for keys in (both, both[::-1]))
    assert there.overall.value == pytest.approx(-back.overall.value)
    assert there.overall.p == pytest.approx(back.overall.p)
    # authors get holm corrected tests beside the differences
    table = table_named("human-vs-model:grasp")
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    raw = [row["p"] for row in rows]
    assert [row["p (Holm)"] for row in rows] == pytest.approx(list(multipletests(raw, method="holm")[1]))
    assert len(rows) == 3  # overall and two tests
    # the chart of differences follows their table and crosses zero
    found = report.compare_each(*(report.find_row(both[0]), [report.find_row(both[1])]))
    chart = difference_chart(found, table_of(*found))
    assert chart.traces[0].points[0].x == pytest.approx(100 / 3)
    assert (chart.x.low, chart.x.guess) == (-chart.x.high, 0)
    assert all(chart.x.low <= point.low <= point.x <= point.high <= chart.x.high for point in chart.traces[0].points)
    narrow = page_drawing_of(chart).narrow
    assert [label.anchor for label in narrow.labels if label.text in ("−100", "+100")] == ["start", "end"]  # in sight
    page = visitor.get(address(*both)).content.decode()
    assert page.index("differences-chart-title") > page.index("<table")
    assert "People minus Yes-man" in page


def test_several_questions_about_a_clip_and_several_rows_have_one_test(board, visitor, pack):
    yes, right = board
    found = report.compare(report.find_row(f"run-{right.pk}"), report.find_row(f"run-{yes.pk}"))
    assert (found.overall.n, found.overall.clips, found.overall.test) == (16, 8, "sign flips by clip")
    assert found.overall.p == pytest.approx(2 / 2**8)  # all eight clips in favour of one
    # several rows are compared with the first under one correction
    yes, right = board
    no = answered(pack, "no", model=make_model(name="No", slug="no"))
    query = address(f"run-{right.pk}", f"run-{yes.pk}", c=f"run-{no.pk}")
    rows = json.loads(visitor.get(f"{query}&format=json").content)["rows"]
    assert [row["Second"].partition(",")[0] for row in rows[::4]] == ["Yes", "No"]
    tested = [row for row in rows if row["p (Holm)"] is not None]
    expected = multipletests([row["p"] for row in tested], method="holm")[1]
    assert [row["p (Holm)"] for row in tested] == pytest.approx(list(expected))
    assert max(expected) < 1  # so that correcting each pair separately would differ
    page = visitor.get(query)
    assert "Right minus 2 others" in text_of(page)
    assert f'href="?a=run-{right.pk}&amp;b=run-{no.pk}"' in page.content.decode()
    assert visitor.get(address(f"run-{right.pk}", f"run-{yes.pk}", c="run-99999999")).status_code == 404


def tie(row):
    """The difference of a row from itself."""
    answers = row.answers()
    known = known_items(answers.scores.keys(), ["test"])
    return difference(tuple(paired(answers, answers, known=known)))


def test_the_sentence_says_who_is_ahead_only_where_the_interval_leaves_out_0(board, both):
    yes, right = (report.find_row(f"run-{run.pk}") for run in board)
    assert sentence_of([report.compare(right, yes)]).startswith("Right is 50.0 points ahead of Yes (")
    assert sentence_of([report.compare(yes, right)]).startswith("Yes is 50.0 points behind Right (")
    tied = sentence_of([report.compare(*(report.find_row(key) for key in both))])
    assert re.match(r"People are no different from Yes-man: \+33\.3 points \(.+\) on the 6 items about 6 clips", tied)
    # a row beside itself is a tie, and two rows of one name are told apart by their settings
    same = replace(report.compare(yes, right), second=replace(right, name="Yes"), overall=tie(yes))
    assert sentence_of([same]).startswith(
        "Yes (zero-shot, statement, video) is no different from Yes (zero-shot, statement, video): 0.0 points ("
    )
    # several others are grouped
    several = [report.compare(right, yes), replace(same, first=right, second=replace(yes, name="No"))]
    assert sentence_of(several) == "Right is ahead of Yes; no different from No, on the questions that both answered."


@pytest.mark.requirement("M8")
def test_the_page_says_both_shares_the_items_that_differ_and_its_files(visitor, both, physics):
    page = text_of(visitor.get(address(*both)))
    for told in ("83.3 %", "50.0 %", "+33.3", "score test", "on the 6 items about 6 clips", "fewer than 8", "kappa"):
        assert told in page
    # the items on which they differ come first and lead to the item
    page = visitor.get(address(*both))
    shown = re.findall(r'href="(/benchmarks/grasp/items/[^"]+)"', page.content.decode())
    differing = {item.get_absolute_url() for item in physics.items.exclude(key__in=("clip1", "clip3"))}
    assert set(shown) == differing
    assert "no 2, yes 1" in text_of(page)  # people's votes on an implausible clip
    # it can be taken along
    files = {form: visitor.get(address(*both, format=form)) for form in ("csv", "json", "md", "latex", "xlsx")}
    assert {form: file.status_code for form, file in files.items()} == dict.fromkeys(files, 200)
    row = files["json"].json()["rows"][0]
    assert (row["Difference"], row["Test"]) == (pytest.approx(33.3333), "score test")
    # the board leads to its first two rows
    page = visitor.get("/leaderboard/grasp/?level=2").content.decode()
    assert f'href="/compare/?a={both[0]}&amp;b={both[1]}"' in page
    # the scatter can be made interactive in a frame
    a, b = both
    told = json.loads(visitor.get("/compare/points/", {"a": a, "b": b}).content)
    items = [int(text.partition(" ")[0]) for text in told["light"]["data"][0]["hovertext"]]
    assert sum(items) == 6
    frame = visitor.get("/compare/frame/", {"a": a, "b": b})
    assert "style-src 'self' 'unsafe-inline'" in frame["Content-Security-Policy"]
    assert "compare/frame/" in visitor.get(address(*both)).content.decode()
    # a scatter of rows that are none is a 404 in json
    assert visitor.get("/compare/points/", {"a": both[0], "b": both[0]}).status_code == 404
    assert "there is no row" in visitor.get("/compare/points/", {"a": "run-x", "b": both[0]}).json()["detail"]
    # a private run is not there
    Run.objects.update(listing=Listing.PRIVATE)
    assert visitor.get(address(*both)).status_code == 404


def test_before_anybody_answered_it_says_so(visitor, db):
    assert "Nobody has answered yet" in text_of(visitor.get("/compare/"))


def test_what_cannot_be_compared_says_why(visitor, both, physics):
    elsewhere = answered(make_pack(title="Another pack"), "yes")
    page = visitor.get(address(both[1], f"run-{elsewhere.pk}"))
    assert page.status_code == 200
    assert "They answered different clips" in text_of(page)
    assert "Another pack" in text_of(page)
    # the same row twice and no common item are explained
    assert "the same row twice" in text_of(visitor.get(address(both[0], both[0])))
    other = make_run(physics, strategy="plausibility")
    page = text_of(visitor.get(address(both[1], f"run-{other.pk}")))
    assert "No item was answered by both" in page


@pytest.mark.parametrize("row", ["run-99999999", "nobody", "run-1e9", "trial-x"])
def test_an_unknown_row_is_a_404_that_leads_back(visitor, both, row):
    page = visitor.get(address(row, both[1]))
    assert page.status_code == 404
    assert 'href="/compare/"' in page.content.decode()


@pytest.mark.parametrize("more", ["group=magic", "format=exe", "page=-1", "page=" + "9" * 30, "page=%C2%B2"])
def test_a_bad_view_of_good_rows_is_a_404(visitor, both, more):
    assert visitor.get(f"{address(*both)}&{more}").status_code == 404


def test_sealed_items_are_neither_shown_nor_counted_and_queries_do_not_grow(
    visitor, both, physics, django_assert_max_num_queries
):
    with django_assert_max_num_queries(29):  # one counts the study's people
        visitor.get(address(*both))
    item = physics.items.get(key="clip0")
    assert item.public_id in visitor.get(address(*both)).content.decode()  # the page is cached from here on
    ItemSeal.objects.create(item=item, by="trial:open")
    page = visitor.get(address(*both)).content.decode()
    assert item.public_id not in page
    assert "on the 5 items" in page


def test_seeds_are_averaged_and_all_their_answers_named(visitor, physics, both):
    run = make_run(physics, strategy="plausibility", model=make_model(name="Waverer"), seeds=[0, 1])
    for item in physics.items.all():
        make_answer(run, item, "yes", seed=0)
        make_answer(run, item, "no", seed=1)
    page = text_of(visitor.get(address(f"run-{run.pk}", both[1])))
    assert "no 1, yes 1" in page or "yes 1, no 1" in page
    assert "50.0 %" in page


def selected(page):
    return re.findall(r'<option value="([^"]+)" selected>', page.content.decode())


def test_the_form_offers_the_rows_as_text_and_preselects_two_different_ones(visitor, both):
    page = visitor.get("/compare/")
    assert all(f'value="{key}"' in page.content.decode() for key in both)
    assert len(set(selected(page))) == 2
    assert set(selected(page)) <= {*both}
    assert selected(visitor.get(f"/compare/?a={both[1]}")) == [both[1], both[0]]
    assert '<optgroup label="GRASP: ' in page.content.decode()
    assert ", plausibility, video" not in text_of(page)
    # names of rows are text in the form
    options = row_options([('"Pack"', [("run-1", "<b>A & B</b>"), ("run-2", "C")])], "run-2")
    assert 'label="&quot;Pack&quot;"' in options
    assert '<option value="run-1">&lt;b&gt;A &amp; B&lt;/b&gt;</option><option value="run-2" selected>C<' in options


def test_a_dead_end_offers_rows_that_share_items_and_no_other(visitor, both, physics):
    silent = make_run(physics, strategy="plausibility")
    elsewhere = answered(make_pack(title="Another pack"), "yes")
    for dead in (f"run-{silent.pk}", f"run-{elsewhere.pk}", both[1]):
        page = visitor.get(address(both[1], dead)).content.decode()
        assert f'href="?a={both[1]}&amp;b={both[0]}"' in page
    alone = visitor.get(address(f"run-{elsewhere.pk}", both[1])).content.decode()
    assert "No other row answered the same items" in text_of(visitor.get(address(f"run-{elsewhere.pk}", both[1])))
    assert 'href="/leaderboard/grasp/"' in alone
    # rows without a shared item are not offered
    first, last = physics.items.order_by("key").first(), physics.items.order_by("key").last()
    one, other = (make_run(physics, strategy="plausibility", model=make_model(name=name)) for name in ("One", "Other"))
    make_answer(one, first, "yes")
    make_answer(other, last, "yes")
    refresh()
    page = visitor.get(address(f"run-{one.pk}", f"run-{other.pk}")).content.decode()
    assert f'&amp;b={both[1]}"' in page
    assert f'&amp;b=run-{other.pk}"' not in page


def test_rows_are_offered_by_split_so_that_the_first_two_share_questions(physics):
    for split, name in product(("all", "human"), ("First", "Second")):
        model = make_model(name=name, slug=f"{name}-{split}".lower())
        answered(physics, "yes", split=split, model=model)
    refresh()
    groups = dict(rows_to_choose())
    assert {title.rpartition(", ")[2] for title in groups} == {"Shown to people", "All clips"}
    assert all(len(rows) == 2 for rows in groups.values())
    chosen = [key for _, key in slots_of([], list(groups.items()))][:2]
    assert {Run.objects.get(pk=key.partition("-")[2]).split for key in chosen} in ({"all"}, {"human"})
