"""Choice of two: a preference for the first video moves no accuracy; twins by majorities of people."""

from statistics import NormalDist

import numpy as np
import pytest

from benchmarks.packs.item_arrays import ALL, facts_of
from evaluation.parsing import PARSERS
from leaderboard.analyses import twins
from leaderboard.models import Standing
from leaderboard.standings.human_rows import rows_of_trial
from leaderboard.standings.refresh import refresh
from measures.scores.parsed_answers import ParserContext
from tests.factories import answer_to, make_answers, make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
PAIRS, KNOWS = 80, 0.5
FAVOURS = {"fair": 0.5, "biased": 0.9}  # how often a guess names the first video


@pytest.fixture
def pack(db):
    pack = make_pack(name="order", profile="corrected")
    for number in range(PAIRS):
        for folder, expected in (("P", "yes"), ("IP", "no")):
            key = f"level2/{folder}_Gravity/{number:03}"
            facets = {"level": ("2",), "test": ("Gravity",), "split": ("all",)}
            clip = make_clip(pack, key=key)
            make_item(pack, clip=clip, key=key, kind="plausibility", variant="", expected=expected, facets=facets)
    return pack


def replies(pack, favour):
    """Replies: the item's own clip is the first video. Half of the pairs' questions are known, the others guessed."""
    rng = np.random.default_rng(3)
    for item in pack.items.order_by("pk"):
        names_first = answer_to(item) == "no" if rng.random() < KNOWS else rng.random() < favour
        said = f"Answer: {'first' if names_first else 'second'}"
        yield item, PARSERS["which-of-two"].read(said, ParserContext("plausibility")).answer


def test_a_preference_for_the_first_video_is_the_criterion_and_moves_no_accuracy(pack):
    for name, favour in FAVOURS.items():
        model = make_model(name=name, slug=name)
        make_answers(make_run(pack, model=model, strategy="twins", parser="which-of-two"), dict(replies(pack, favour)))
    refresh()
    rows = {row.name: row.overall for row in Standing.objects.all()}
    for name, favour in FAVOURS.items():
        row, guessed = rows[name], 1 - KNOWS
        assert 1 - row["yes"] == pytest.approx(KNOWS / 2 + guessed * favour, abs=0.05)  # how often it names the first
        right = {"positive": KNOWS + guessed * (1 - favour), "negative": KNOWS + guessed * favour}
        for side, known in right.items():
            assert row[side]["low"] <= known <= row[side]["high"]
        hit, alarm = NormalDist().inv_cdf(right["positive"]), NormalDist().inv_cdf(1 - right["negative"])
        assert row["criterion"] == pytest.approx(-(hit + alarm) / 2, abs=0.15)
        assert row["low"] <= 0.75 <= row["high"]
        assert row["twins"]["all"]["single"]["score"] == pytest.approx(row["score"], abs=1e-6)
    assert rows["biased"]["criterion"] > 0.6 > 0.15 > abs(rows["fair"]["criterion"])


@pytest.fixture
def found(study, physics, monkeypatch):
    """The study's six clips as three pairs."""
    items = list(physics.items.order_by("pk").values_list("pk", flat=True))
    monkeypatch.setattr(twins, "are_matched", lambda pack: True)
    monkeypatch.setattr(twins, "pairs_of", lambda pack, facts: list(zip(items[::2], items[1::2], strict=True)))
    return twins.twins_of_people(study, "", facts_of(physics), "plausibility")["all"][ALL]


def test_pairs_are_right_where_both_majorities_are_and_single_clips_have_the_score_of_the_row(found, study):
    assert (found["pairs"], found["both"]["score"]) == (3, pytest.approx(2 / 3, abs=1e-6))
    (row,) = rows_of_trial(study)
    assert found["single"]["score"] == pytest.approx(row.overall["score"], abs=1e-6)
    both, single = (found[name]["high"] - found[name]["low"] for name in ("both", "single"))
    assert 0 < single < both < 1
