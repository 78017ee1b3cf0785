"""Audits of judges whose answers are runs: each defect is named, and what was not tested blocks."""

import numpy as np
import pytest

from extensions.generated.judging.audit import CheckVerdict, audits_of
from extensions.generated.scores.columns import columns_of
from tests.extensions.generated.scores.rounds import (
    judge_compares,
    judge_says,
    made_pack,
    made_pairs,
    made_round,
    made_set,
    people_say,
)
from tests.extensions.generated.scores.test_answers import read

pytestmark = pytest.mark.django_db
PC = ({"name": "PC", "title": "Plausibility", "question": "How much?", "anchors": list("abcde")},)
QUALITY = {"a": 1.4, "b": 2.4, "c": 3.4, "d": 4.4, "e": 5.0}
ROLES = {"real": "ceiling", "still": "floor", "reversed": "floor"}
LINES = {"real": 5.0, "still": 1.4, "reversed": 2.0}
PROMPTS = 16


def prompt_number(clip):
    return int(clip.prompt.key.rpartition("-")[2])


def clip_number(clip):
    """The same on every database."""
    return PROMPTS * [*QUALITY, *LINES].index(clip.clip_set.slug) + prompt_number(clip)


def seems(clip):
    """What a clip is like, the same for everybody: broken ones are worse."""
    slug = clip.clip_set.slug
    random = np.random.default_rng(prompt_number(clip))
    worse = 1.5 if clip.truth["is_broken"] else 0.0
    return (QUALITY | LINES)[slug] + random.normal(0, 0.3) - worse


def step(value):
    return str(int(np.clip(np.round(value), 1, 5)))


def by_people(clips, names, person):
    random = np.random.default_rng([person, clip_number(clips[0])])
    return " ".join(f"{name}={step(seems(clips[0]) + random.normal(0, 0.3))}" for name in names) or "none"


@pytest.fixture
def found():
    pack = made_pack(prompts=PROMPTS, dimensions=PC)
    sets = [
        made_set(
            pack,
            name,
            role=ROLES.get(name, "generator"),
            truth=lambda number, take, n=name: {"is_broken": n != "real" and (number + ord(n[0])) % 4 == 0},
        )
        for name in (*QUALITY, *LINES)
    ]
    return made_round(pack, sets)


def audit(found, slug="judge"):
    return audits_of(read(found), columns_of(found.pack)[0])[slug]


def verdicts(found):
    return {check.name: check.verdict for check in audit(found).checks}


def good(clip, name):
    return step(seems(clip))


def test_good_judge_may_rank(found):
    people_say(found, by_people, people=6)
    judge_says(found, good, model=judge_says(found, good))
    assert {name for name, verdict in verdicts(found).items() if verdict != CheckVerdict.HOLDS} == {"flips"}
    assert verdicts(found)["flips"] == CheckVerdict.UNRELATED
    assert audit(found).may_rank


RANDOM = np.random.default_rng(1)
DEFECTS = {
    "always 5": (lambda clip, name: "5", {"commonest", "people", "probes", "truth", "bias"}),
    "says nothing": (lambda clip, name: None, {"readable"}),
    "one in twenty unread": (
        lambda clip, name: None if clip_number(clip) % 20 == 0 else good(clip, name),
        {"readable"},
    ),
    "a step higher": (lambda clip, name: step(seems(clip) + 1), {"bias"}),
    "likes the still frame": (
        lambda clip, name: "5" if clip.clip_set.slug == "still" else good(clip, name),
        {"probes"},
    ),
    "rates anew each time": (lambda clip, name: str(RANDOM.integers(1, 6)), {"retest"}),
    "the other way round": (lambda clip, name: step(6 - seems(clip)), {"order", "truth", "people", "probes", "bias"}),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_planted_defect_is_named(found, name):
    say, expected = DEFECTS[name]
    people_say(found, by_people, people=6)
    judge_says(found, say, model=judge_says(found, say))
    failed = {check for check, verdict in verdicts(found).items() if verdict == CheckVerdict.FAILS}
    assert failed >= expected
    assert not audit(found).may_rank


@pytest.fixture
def asked_once(found):
    people_say(found, by_people, people=6)
    judge_says(found, good)
    return audit(found)


def test_what_was_not_tested_blocks_without_failing(found, asked_once):
    assert verdicts(found)["retest"] == CheckVerdict.UNTESTED
    assert CheckVerdict.FAILS not in verdicts(found).values()
    assert not asked_once.may_rank


def test_before_the_close_nothing_is_compared_with_people(found):
    people_say(found, by_people, people=6, state="open")
    judge_says(found, good)
    assert {verdicts(found)[name] for name in ("bias", "order", "people")} == {CheckVerdict.UNTESTED}
    assert audit(found).bias == {}


def test_answers_that_are_missing_count_as_not_readable(found):
    judge_says(found, good)
    found.questions.runs.get().cells.filter(item__in=found.questions.items.order_by("pk")[:20]).delete()
    check = audit(found).check("readable")
    assert check.n == PROMPTS * 8
    assert check.verdict == CheckVerdict.FAILS


@pytest.mark.parametrize(("always", "verdict"), [("a", CheckVerdict.FAILS), (None, CheckVerdict.HOLDS)])
def test_pairs_are_asked_in_both_orders(found, always, verdict):
    sets = {one.slug: one for one in found.pack.clip_sets.all()}
    made_pairs(found, sets["a"], sets["e"])
    model = judge_says(found, good)
    judge_compares(found, lambda first, second: always or ("a" if seems(first) > seems(second) else "b"), model)
    check = audit(found).check("flips")
    assert (check.n, check.values[0]) == (PROMPTS, 1.0 if always else 0.0)
    assert check.verdict == verdict


def test_bias_has_an_interval_for_each_generator_and_none_for_lines(found):
    people_say(found, by_people, people=6)
    judge_says(found, lambda clip, name: step(seems(clip) + (1 if clip.clip_set.slug == "b" else 0)))
    bias = audit(found).bias
    assert set(bias) == set(QUALITY)
    assert bias["b"][1].low > 0.5
    assert bias["d"][1].holds(0.0)


def test_truth_is_hits_minus_false_alarms(found):
    """Of two kinds of clips this judge calls the broken ones low, but for one in four."""
    judge_says(found, lambda clip, name: "1" if clip.truth["is_broken"] and prompt_number(clip) % 8 else "5")
    check = audit(found).check("truth")
    broken = [clip for clip in read(found).found.clips if clip.truth["is_broken"]]
    missed = np.mean([prompt_number(clip) % 8 == 0 for clip in broken])
    assert check.values[0] == pytest.approx(1 - missed, abs=0.1)
    assert check.interval.low > 0


def test_agreement_by_dimension_with_people(asked_once):
    ((title, agreement),) = asked_once.agreements(asked_once.board.answers.people.answers)
    assert (title, agreement.n) == ("Plausibility", PROMPTS * 8)
    assert agreement.kappa > 0.8
    assert agreement.within_one == 1.0


def test_judge_helps_where_people_rated_fewer_prompts(found):
    def few(clips, names, person):
        return by_people(clips, names, person) if clips[0].prompt.key in {f"prompt-{n}" for n in range(10)} else None

    people_say(found, few, people=6)
    judge_says(found, good)
    shown = audit(found)
    helped, alone = shown.helped(), shown.board.figures["people"]
    assert set(helped) == {name.capitalize() for name in QUALITY}
    assert helped["C"][1].half_width < alone[2].interval.half_width
    assert helped["C"][1].holds(helped["C"][0])


def test_judge_of_the_same_clips_has_nothing_to_add(asked_once):
    assert asked_once.helped() == {}
