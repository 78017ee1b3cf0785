"""The test against guessing in each cell, the share that repeats the example's answer, and each row's gap to people."""

import re

import pytest
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from evaluation.models import ModelResponse
from leaderboard.models import Comparison, Standing
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, expects, make_answer, make_clip, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import answer_all, answered

pytestmark = pytest.mark.django_db
LEVEL_2 = "/leaderboard/grasp/?level=2"
ONE_SHOT = "/leaderboard/grasp/?strategy=binary-oneshot"


def rows_of(visitor, address):
    return {row["name"]: row for row in visitor.get(f"{address}&format=json").json()["rows"]}


@pytest.fixture
def judged(physics):
    """Six clips with one question each; one model is right, one always says yes."""
    for name, answer_of in (("Knows", lambda item: answer_to(item)), ("Yes-man", lambda item: "yes")):
        answered(physics, answer_of, name)
    refresh()
    return physics


def test_where_each_clip_is_asked_about_once_it_is_the_binomial_test_with_holms_p_in_view(visitor, judged, study):
    rows = rows_of(visitor, LEVEL_2)
    assert rows["Knows"]["overall"]["p"] == pytest.approx(binomtest(6, 6, 0.5).pvalue)
    assert rows["Knows"]["cells"]["Gravity"]["p"] == pytest.approx(binomtest(4, 4, 0.5).pvalue)
    assert rows["Yes-man"]["overall"]["p"] == pytest.approx(1)
    # p holds for all cells of the view together
    rows = [row for row in rows_of(visitor, LEVEL_2).values() if row["kind"] == "run"]
    cells = [cell for row in rows for cell in (row["overall"], *row["cells"].values())]
    assert len(cells) == 6
    corrected = multipletests([cell["p"] for cell in cells], method="holm")[1]
    assert [cell["p_holm"] for cell in cells] == pytest.approx(list(corrected))
    # the test is a view of the board and stands in each cells title
    found = rows_of(visitor, LEVEL_2)["Knows"]["overall"]["p_holm"]
    assert f'title="n 6, p {found:.3f} (Holm), ' in visitor.get(LEVEL_2).content.decode()
    page = visitor.get(f"{LEVEL_2}&columns=guessing").content.decode()
    assert f"<b>{found:.3f}</b>" in page
    assert "Video-LLaMA" not in page, "a paper's figures are not tested by us"
    table = visitor.get(f"{LEVEL_2}&columns=guessing&format=md").content.decode()
    assert f"| Knows | {found:.3f} |" in table
    assert "for all 6 cells" in table
    # people and printed figures carry no test
    rows = rows_of(visitor, LEVEL_2)
    assert "p" not in rows["People"]["overall"]
    assert all("p" not in (row["overall"] or {}) for row in rows.values() if row["kind"] == "published")


def test_seeds_of_one_clip_are_not_independent(visitor, physics):
    """Nine replies to each of six clips, right on five clips: the same evidence as five of six."""
    run = make_run(physics, strategy="plausibility", seeds=list(range(9)), model=make_model(name="Sure"))
    for item in physics.items.all():
        for seed in range(9):
            make_answer(run, item, answer_to(item) if item.key != "clip5" else "no", seed=seed)
    refresh()
    p = rows_of(visitor, LEVEL_2)["Sure"]["overall"]["p"]
    assert p >= binomtest(5, 6, 0.5).pvalue > binomtest(45, 54, 0.5).pvalue


def test_open_questions_are_tested_against_their_own_chance(visitor):
    pack = make_pack()
    run = make_run(pack, strategy="open", model=make_model(name="Half"))
    for number in range(8):
        question = {"options": ["red", "green", "blue", "black"], "expected": "red", "answer_kind": "label"}
        facets = {"test": ("Color",), "polarity": ()}
        clip = make_clip(pack, key=f"c{number}")
        item = make_item(pack, clip=clip, kind="open", variant="", facets=facets, **question)
        make_answer(run, item, "red" if number < 6 else "blue")
    refresh()
    row = rows_of(visitor, "/leaderboard/grasp/?strategy=open")["Half"]
    assert row["cells"]["Color"]["p"] == pytest.approx(binomtest(6, 8, 0.25).pvalue)


@pytest.fixture
def one_shot(pack):
    """Sixteen questions after the example of the first true statement: one model copies it, one is unparsed."""
    example = pack.items.filter(expects("yes")).first()
    runs = {}
    ways = {"Copies": lambda item: "yes", "Right": answer_to, "Mumbles": lambda item: None}
    for name, answer_of in ways.items():
        run = make_run(pack, strategy="binary-oneshot", model=make_model(name=name))
        runs[name] = answer_all(run, answer_of)
    turns = [{"role": "user", "text": "…", "frames": 8, "item": example.draw_key}, {"role": "model", "text": "yes"}]
    ModelResponse.objects.update(turns=turns)
    refresh()
    return runs


def test_the_share_that_repeats_the_examples_answer_is_a_view_of_boards_with_an_example(visitor, one_shot, board):
    rows = rows_of(visitor, ONE_SHOT)
    assert {name: rows[name]["overall"]["repeats"] for name in one_shot} == {"Copies": 1.0, "Right": 0.5, "Mumbles": 0}
    assert rows["Right"]["cells"]["Shape"]["repeats"] == 0.5
    # it is a view of boards with an example alone
    page = visitor.get(f"{ONE_SHOT}&columns=repeats&sort=overall").content.decode()
    assert page.index("Copies") < page.index("Right") < page.index("Mumbles")
    assert "columns=repeats" in visitor.get(ONE_SHOT).content.decode()
    assert "columns=repeats" not in visitor.get("/leaderboard/grasp/").content.decode()
    assert "| Copies | 100.0 |" in visitor.get(f"{ONE_SHOT}&columns=repeats&format=md").content.decode()
    assert "repeats" not in rows_of(visitor, "/leaderboard/grasp/?strategy=binary")["Right"]["overall"]


def test_uploaded_answers_tell_of_no_example(visitor, pack):
    answered(pack, "yes", strategy="binary-oneshot", kind="uploaded")
    refresh()
    assert "repeats" not in Standing.objects.get().overall


@pytest.fixture
def rows(study, judged):
    """People, who are right on five of the six clips, beside the two models."""
    return judged


def distances(visitor, query=""):
    return {row["name"]: row["against_people"] for row in visitor.get(f"{LEVEL_2}&format=json{query}").json()["rows"]}


def test_a_row_says_how_far_it_is_from_people_on_common_items(visitor, rows, django_assert_max_num_queries, study):
    found = distances(visitor)
    assert found["People"] is None
    assert found["Knows"]["value"] == pytest.approx(1 / 6)
    assert found["Yes-man"]["value"] == pytest.approx(3 / 6 - 5 / 6)
    assert {far["n"] for far in (found["Knows"], found["Yes-man"])} == {6}
    for far in (found["Knows"], found["Yes-man"]):
        assert far["low"] <= far["value"] <= far["high"]
    # the test is corrected for the rows in view
    raw = list(Comparison.objects.order_by("pk").values_list("second__name", "p"))
    corrected = multipletests([p for _, p in raw], method="holm")[1]
    found = distances(visitor)
    assert [found[name]["p"] for name, _ in raw] == pytest.approx(list(corrected))
    # the column is shown sorted and leads to the comparison
    page = visitor.get(f"{LEVEL_2}&sort=people").content.decode()
    assert re.search(r"data-column=\"people\"[^>]*>\s*vs people", page)
    assert "+16.7" in page
    assert "−33.3" in page
    assert page.index("Knows") < page.index("Yes-man")
    turned = visitor.get(f"{LEVEL_2}&sort=-people").content.decode().partition("<table")[2]
    assert turned.index("Yes-man") < turned.index("Knows")
    [link, *_] = re.findall(r'href="(/compare/[^"]+trial-study)"', page)
    assert visitor.get(link.replace("&amp;", "&")).status_code == 200
    # every line of the table has as many cells as the head
    page = visitor.get(LEVEL_2).content.decode()
    table = page.partition('<table class="heat flat')[2].partition("</table>")[0]
    heads = len(re.findall(r'<th [^>]*scope="col"', table))
    for line in re.findall(r"<tr[ >].*?</tr>", table, re.DOTALL):
        wide = sum(int(width) - 1 for width in re.findall(r'colspan="(\d+)"', line))
        assert len(re.findall(r"<t[hd][ >]", line)) + wide == heads
    # the column costs one query
    with django_assert_max_num_queries(12):
        visitor.get(f"{LEVEL_2}&search=nobody-knows")
    # simulated people are nobody to be measured against
    study.is_simulated = True
    study.answers_version += 1
    study.save()
    refresh()
    assert set(distances(visitor).values()) == {None}


def test_without_people_or_without_some_items_there_is_no_column(visitor, board, rows):
    assert "vs people" not in visitor.get("/leaderboard/grasp/?level=1&pack=small").content.decode()
    assert set(distances(visitor, "&caution=out").values()) == {None}
