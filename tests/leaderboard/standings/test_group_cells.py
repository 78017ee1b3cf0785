"""Group scores beside question scores: on boards, in exports, for people and in comparisons."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.definitions.definition import GroupRule
from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN
from benchmarks.models import Item
from benchmarks.packs.clusters import labels_by_item
from evaluation.runs.pages.rows import test_rows as rows_of_tests
from evaluation.runs.results import computed, outcome_of, result_of, store_results
from evaluation.workers.run_command import result_line
from humantrials.results.judgments import votes_of
from leaderboard.board.query import view_of
from leaderboard.comparison.human_vs_model import human_vs_model
from leaderboard.models import Standing
from leaderboard.publications.snapshot import content_of
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings.human_rows import HumanItem, voted_group
from leaderboard.standings.paired_differences import Answers, answers_of, group_difference
from leaderboard.standings.refresh import refresh
from measures.estimate import VotedItem
from measures.shares.intervals import clustered, wilson
from tests.commands import say
from tests.factories import answer_to, make_answer, make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def pairs(monkeypatch):
    grouped = replace(BUILT_IN["grasp"], groups=GroupRule("pair", "all", 2))
    monkeypatch.setitem(BENCHMARKS, "grasp", grouped)
    return grouped


@pytest.fixture
def pack():
    """Twelve pairs of two clips each; the last lacks one of its questions."""
    pack = make_pack()
    for pair in range(12):
        for place, expected in ((1, "yes"), (2, "no")):
            if (pair, place) != (11, 2):
                facets = {
                    "test": ("Color" if pair < 6 else "Shape",),
                    "polarity": (("positive", "negative")[place - 1],),
                }
                told = {"group": f"pair {pair}", "place": place, "rule": "all", "expected": expected}
                make_item(clip=make_clip(pack), facets=facets, **told)
    return pack


def answered(pack, answer, **values):
    run = make_run(pack, model=make_model(), seeds=[0], **values)
    for item in pack.items.all():
        make_answer(run, item, answer(item))
    return run


def halfway(item):
    """A run that is right on every first question, and on the second ones of the first three pairs."""
    right = item.place == 1 or int(item.group.split()[1]) < 3
    return answer_to(item) if right else "yes" if answer_to(item) == "no" else "no"


def cell_of(run, *path):
    stored = Standing.objects.get(run=run)
    return stored.cells[path[0]][path[1]] if path else stored.overall


def test_a_row_has_the_score_of_whole_groups_beside_that_of_questions(pack):
    run = answered(pack, halfway)
    refresh()
    overall = cell_of(run)
    expected = wilson(3, 11)
    assert (overall["score"], overall["n"]) == (pytest.approx(15 / 23), 23)
    group = overall["group"]
    assert (group["score"], group["n"], group["incomplete"]) == (pytest.approx(3 / 11), 11, 1)
    assert group["chance"] == 0.25
    assert group["low"] == pytest.approx(expected.low, abs=0.03)
    assert cell_of(run, "test", "Color")["group"]["score"] == 0.5
    of_shapes = cell_of(run, "test", "Shape")["group"]
    assert (of_shapes["score"], of_shapes["n"], of_shapes["incomplete"]) == (0.0, 5, 1)
    assert "group" not in cell_of(run, "polarity", "negative"), "it holds one question of each pair"
    # intervals of questions count groups as clusters
    run = answered(pack, halfway)
    refresh()
    items = list(pack.items.order_by("pk"))
    expected = clustered([halfway(item) == answer_to(item) for item in items], [item.group for item in items])
    overall = cell_of(run)
    assert (overall["low"], overall["high"]) == pytest.approx((expected.low, expected.high))
    assert overall["clips"] == 12
    found = computed(run).overall.interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_always_the_same_answer_gets_no_pair_right(pack):
    run = answered(pack, lambda item: "yes")
    refresh()
    assert cell_of(run)["group"]["score"] == 0.0
    assert cell_of(run)["group"]["p"] < 0.1


def test_a_group_needs_one_seed_with_every_answer_right(pack):
    """A pair with one question right in one seed and the other in the next is not right."""
    run = make_run(pack, seeds=[0, 1])
    for item in pack.items.all():
        for seed in (0, 1):
            right = (item.place == 1) == (seed == 0)
            make_answer(run, item, answer_to(item) if right else "", seed=seed)
    refresh()
    assert cell_of(run)["group"]["score"] == 0.0


def test_a_clip_withdrawn_leaves_its_group_unscored(pack):
    run = answered(pack, halfway)
    clip = pack.items.filter(group="pair 0").first().media.first().clip
    clip.withdrawn_at = pack.created_at
    clip.save()
    refresh()
    cell, own = cell_of(run), computed(run)
    assert (cell["group"]["n"], cell["group"]["incomplete"]) == (own.groups.n, own.incomplete) == (10, 2)
    assert (cell["n"], cell["score"]) == (own.overall.n, own.overall.accuracy)


def test_groups_of_a_run_are_kept_compared_and_left_unscored_without_a_clip(pack):
    one, other = answered(pack, lambda item: answer_to(item)), answered(pack, halfway)
    found = group_difference(answers_of(one), answers_of(other))
    assert (found.n, found.first, found.value) == (11, 1.0, pytest.approx(8 / 11))
    assert found.p < 0.05
    # results of a run are kept with their groups
    run = answered(pack, halfway)
    store_results(run)
    kept = outcome_of(run)
    assert (kept.groups.n, kept.groups.accuracy, kept.incomplete) == (11, pytest.approx(3 / 11), 1)
    title, metric = (last := rows_of_tests(run, kept)[-1]).title, last.metric
    assert (title, metric.n, metric.accuracy) == ("By pair", 11, pytest.approx(3 / 11))
    assert "65.2 % (" in (line := result_line(run, result_of(run)))
    assert "), by pair 27.3 % (" in line
    # clusters of groups that share a clip are one
    clip = make_clip(pack)
    told = [make_item(clip=clip, group=name, place=1, rule="all") for name in ("x", "y")]
    labels = labels_by_item([item.pk for item in told], benchmark="grasp")
    assert len(set(labels.values())) == 1


PEOPLE, EACH, VOTES = 12, 100, 3  # 200 pairs


def judged_by(people, rng):
    """Every item with the answers of three people, drawn with a spread of one logit of people and of items."""
    skill, ease = rng.normal(size=PEOPLE), rng.normal(size=PEOPLE * EACH // VOTES)
    for number, who in enumerate(people):
        right = rng.random(VOTES) < expit(1.2 + skill[who] + ease[number])
        answers = tuple((f"p{one}", "yes" if is_right else "no") for one, is_right in zip(who, right, strict=True))
        [vote] = votes_of([(number, answer) for _, answer in answers], [number])
        yield HumanItem(Item(pk=number), "yes", vote, answers)


def pairs_of_people(people, rng):
    judged = list(judged_by(people, rng))
    pairs = zip(judged[::2], judged[1::2], strict=True)
    return {str(number): voted_group("all", number, pair) for number, pair in enumerate(pairs)}


def test_people_are_samples_in_differences_by_group():
    """A model as good by pairs as people: a true null is rejected in about 4 %, with people as fixed in 25 %."""
    rng = np.random.default_rng(3)
    people = [rng.choice(PEOPLE, VOTES, replace=False) for _ in range(PEOPLE * EACH // VOTES)]
    studies = [pairs_of_people(people, rng) for _ in range(25)]
    equal = np.mean([group.score for study in studies for group in study.values()])
    rejected = 0
    for study in studies:
        model = {name: VotedItem(float(rng.random() < equal), (), group.label) for name, group in study.items()}
        found = group_difference(Answers({}, groups=study), Answers({}, groups=model))
        rejected += found.p < 0.05
        assert (found.p < 0.05) == (not found.interval.holds(0.0))
    assert rejected <= 2


def test_board_files_snapshot_and_terminal_show_both(pack, visitor, pairs):
    answered(pack, halfway)
    refresh()
    address = f"/leaderboard/grasp/?level=1&strategy=binary&pack={pack.name}"
    page = visitor.get(address).content.decode()
    assert "By pair" in page
    board = visitor.get(f"{address}&format=json").json()
    assert (board["unit"], board["columns"][0]) == ("question", "by-group")
    row = next(row for row in board["rows"] if row["kind"] == "run")
    assert row["overall"]["group"]["score"] == row["cells"]["by-group"]["score"] == pytest.approx(3 / 11)
    grouped = visitor.get(f"{address}&unit=group&format=json").json()
    own = next(row for row in grouped["rows"] if row["kind"] == "run")
    assert (own["overall"]["score"], own["overall"]["n"]) == (pytest.approx(3 / 11), 11)
    assert own["cells"]["Color"]["score"] == 0.5
    assert grouped["chance"] == 0.25
    table = visitor.get(f"{address}&format=csv").content.decode()
    assert "By pair %" in table
    latex = visitor.get(f"{address}&unit=group&format=latex").content.decode()
    assert "27.3" in latex
    assert "unanswered have no score." in latex
    assert "no score; chance 25.0." in visitor.get(f"{address}&format=latex").content.decode()
    profile = visitor.get(address.replace("/?", "/charts/profile/?") + "&format=csv").content.decode()
    assert "Color %" in profile
    assert "By pair" not in profile
    assert visitor.get("/leaderboard/craft/?unit=group").status_code == 404
    assert "By pair" in say("export_table", "board:grasp", "--format", "text", "--pack", pack.name)
    # a snapshot of grouped questions can be verified
    answered(pack, halfway)
    refresh()
    view = view_of(pairs, {"level": "1", "strategy": "binary", "pack": pack.name})
    assert differences_in(json.loads(json.dumps(content_of(view)))) == []


def test_people_have_group_scores_too(physics, study):
    """Three pairs of clips; the majority is right on every clip but the last, so on two pairs."""
    for number, item in enumerate(physics.items.order_by("pk")):
        item.group, item.place, item.rule = f"pair {number // 2}", number % 2 + 1, "all"
        item.save()
    refresh()
    stored = Standing.objects.get(trial=study)
    group = stored.overall["group"]
    assert (group["score"], group["n"], group["incomplete"], group["chance"]) == (pytest.approx(2 / 3), 3, 0, 0.25)
    assert group["low"] < 2 / 3 < group["high"]
    assert stored.cells["test"]["Gravity"]["group"]["score"] == 1.0
    assert (stored.cells["test"]["Collision"]["group"]["score"], stored.cells["test"]["Collision"]["group"]["n"]) == (
        0,
        1,
    )
    assert stored.cells["polarity"]["plausible"].get("group") is None
    answered(physics, lambda item: "yes", strategy="plausibility")
    refresh()
    _, by_group, *_ = human_vs_model(BENCHMARKS["grasp"], physics, ("run",)).rows
    assert by_group[4:8] == ("by group", 3, pytest.approx(200 / 3), 0.0)
    assert by_group[9] < 200 / 3 < by_group[10]
    study.judgments.filter(item__key="clip0").update(counts=False)
    study.answers_version += 1
    study.save()
    refresh()
    group = Standing.objects.get(trial=study).overall["group"]
    assert (group["n"], group["incomplete"]) == (2, 1), "a pair without votes on both of its clips has no score"
