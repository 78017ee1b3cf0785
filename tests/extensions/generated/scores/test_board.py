"""Rows of a round: people, judges and truth side by side, with ranks for generators alone."""

from itertools import pairwise
from zlib import crc32

import numpy as np
import pytest

from extensions.generated.scores.board import AnswerCounts, RoundBoard
from tests.extensions.generated.scores.rounds import judge_says, made_pack, made_round, made_set, people_say
from tests.extensions.generated.scores.test_answers import board, figure, read

pytestmark = pytest.mark.django_db
LAWS = tuple(
    {"name": name, "title": name.capitalize(), "question": "How much?", "anchors": list("abcde"), "laws": [name]}
    for name in ("gravity", "shadow")
)
GENERAL = {"name": "PC", "question": "How much?", "anchors": list("abcde")}


def noisy(quality, seed=0, spread=0.7):
    """People's ratings around a quality by set, the same for the same person and clip."""

    def say(clips, names, person):
        if not names:
            return "none"
        clip = clips[0]
        name = f"{clip.clip_set.slug} {clip.prompt.key} {clip.take}"  # the same on every database
        random = np.random.default_rng([seed, person, crc32(name.encode())])
        steps = np.clip(np.round(quality[clip.clip_set.slug] + random.normal(0, spread, len(names))), 1, 5)
        return " ".join(f"{name}={int(step)}" for name, step in zip(names, steps, strict=True))

    return say


def test_generators_have_ranks_and_ceilings_and_floors_are_lines():
    pack = made_pack(prompts=12)
    quality = {"good": 4.2, "same": 4.2, "bad": 2.0, "real": 5.0, "still": 1.0}
    roles = {"real": "ceiling", "still": "floor"}
    found = made_round(pack, [made_set(pack, name, role=roles.get(name, "generator")) for name in quality])
    people_say(found, noisy(quality), people=10)
    shown = board(found)
    assert {line.row.slug: line.figures[0].ranks for line in shown.ranked} == {"good": "1–2", "same": "1–2", "bad": "3"}
    assert [(line.row.slug, line.figures[0].ranks) for line in shown.lines] == [("real", "–"), ("still", "–")]
    assert shown.ranked[-1].row.slug == "bad"
    assert all(line.figures[0].interval.holds(line.figures[0].value) for line in (*shown.ranked, *shown.lines))


def test_an_interval_of_few_prompts_stays_on_the_scale():
    pack = made_pack(prompts=3)
    quality = {"high": 4.9, "low": 1.1}
    found = made_round(pack, [made_set(pack, name) for name in quality])
    people_say(found, noisy(quality, spread=1.5), people=6)
    high, low = (line.figures[0].interval for line in board(found).ranked)
    assert (high.high, low.low) == (5.0, 1.0)


def test_partial_set_is_compared_on_prompts_that_all_have_and_that_is_said():
    pack = made_pack(prompts=4)
    sets = [made_set(pack, "whole"), made_set(pack, "part")]
    sets[1].clips.filter(prompt__key="prompt-3").delete()
    found = made_round(pack, sets)
    people_say(
        found,
        lambda clips, names, person: (
            " ".join(f"{name}={1 if clips[0].prompt.key == 'prompt-3' else 4}" for name in names) or "none"
        ),
    )
    shown = board(found)
    assert shown.figures["people"][0].value == 4.0
    assert shown.left_out(read(found).people) == 1


def test_ceiling_with_fewer_prompts_takes_none_from_the_generators():
    pack = made_pack(prompts=4)
    sets = [made_set(pack, "one"), made_set(pack, "real", role="ceiling")]
    sets[1].clips.exclude(prompt__key="prompt-0").delete()
    found = made_round(pack, sets)
    people_say(found, noisy({"one": 3.0, "real": 5.0}))
    assert figure(found, 0).counts.n == 24
    assert board(found).left_out(read(found).people) == 0


def test_joint_is_of_clips_that_are_good_by_both_rounded_means():
    """Three people: 4, 4, 3 is rounded to 4, and 4, 3, 3 to 3."""
    pack = made_pack(prompts=2, preset="videophy2")
    found = made_round(pack, [made_set(pack, "one")])
    steps = {("prompt-0", "PC"): "443344", ("prompt-0", "SA"): "555555", ("prompt-1", "PC"): "555555"}

    def say(clips, names, person):
        return " ".join(f"{name}={steps.get((clips[0].prompt.key, name), '433433')[person]}" for name in names) or "na"

    people_say(found, say)
    assert figure(found, 0, "PC-top").value == 1.0
    assert figure(found, 0, "SA-top").value == 0.5
    assert figure(found, 0, "joint").value == 0.5
    assert figure(found, 0, "joint").interval.holds(0.5)


def test_laws_have_equal_weights_however_many_prompts_each_has():
    """Gravity on one prompt, shadow on three."""
    pack = made_pack(dimensions=LAWS, laws=lambda number: ["gravity" if number == 0 else "shadow"])
    found = made_round(pack, [made_set(pack, "one")])
    people_say(found, lambda clips, names, person: " ".join(f"{n}={5 if n == 'gravity' else 1}" for n in names) or "na")
    assert figure(found, 0, "laws").value == pytest.approx(3.0)
    assert figure(found, 0, "gravity").value == 5.0


def test_total_of_phyground_follows_its_formula():
    """Half the mean of general means, half the mean over all laws of all clips."""
    dimensions = ({**GENERAL, "name": "SA"}, {**GENERAL, "name": "PTV"}, *LAWS)
    pack = made_pack(
        dimensions=dimensions, preset="phyground", laws=lambda number: ["gravity", "shadow"] if number else ["shadow"]
    )
    found = made_round(pack, [made_set(pack, "one")])
    steps = {"SA": 4, "PTV": 2, "gravity": 5, "shadow": 1}
    people_say(found, lambda clips, names, person: " ".join(f"{n}={steps[n]}" for n in names) or "na")
    assert figure(found, 0, "overall").value == pytest.approx(0.5 * 3 + 0.5 * (3 * 5 + 4 * 1) / 7)


def test_row_without_a_dimension_has_no_total():
    dimensions = (GENERAL, *LAWS)
    pack = made_pack(dimensions=dimensions, preset="phyground", laws=lambda number: ["gravity"])
    found = made_round(pack, [made_set(pack, "one")])
    people_say(found, lambda clips, names, person: " ".join(f"{n}={'na' if n == 'PC' else 3}" for n in names) or "na")
    assert 0 not in board(found, "overall").figures["people"]
    assert figure(found, 0, "gravity").value == 3.0


def test_truth_counts_clips_and_ties_share_ranks():
    pack = made_pack(prompts=4)
    broken = {"one": 0, "two": 2, "three": 2}
    sets = [
        made_set(pack, name, truth=lambda number, take, n=count: {"is_broken": number < n})
        for name, count in broken.items()
    ]
    truth = board(made_round(pack, sets)).truth
    assert [(truth[row].unbroken, truth[row].n, truth[row].ranks) for row in (0, 1, 2)] == [
        (4, 4, "1"),
        (2, 4, "2–3"),
        (2, 4, "2–3"),
    ]


def test_unknown_truth_is_no_zero_and_leaves_all_without_ranks():
    pack = made_pack()
    sets = [made_set(pack, "one", truth=lambda number, take: {"is_broken": True}), made_set(pack, "unknown")]
    truth = board(made_round(pack, sets)).truth
    assert (truth[0].unbroken, truth[0].ranks) == (0, "–")
    assert 1 not in truth


def test_judge_beside_people_points_to_who_rates_higher():
    pack = made_pack(prompts=12)
    quality = {"one": 3.0, "two": 3.0}
    found = made_round(pack, [made_set(pack, name) for name in quality])
    people_say(found, noisy(quality), people=10)
    judge_says(found, lambda clip, name: "5" if clip.clip_set.slug == "one" else "3")
    own = board(found).figures["judge"]
    assert [own[row].side for row in (0, 1)] == ["▲", ""]
    bias, interval = board(found).bias(read(found).judges[0])[0]
    assert interval.low < bias < interval.high
    assert interval.low > 0


def test_barred_judge_has_means_without_ranks():
    pack = made_pack()
    found = made_round(pack, [made_set(pack, "one"), made_set(pack, "two")])
    judge_says(found, lambda clip, name: "3")
    free = board(found)
    barred = RoundBoard(read(found), free.column, ["judge"])
    assert free.figures["judge"][0].ranks == "1–2"
    assert (barred.figures["judge"][0].value, barred.figures["judge"][0].ranks) == (3.0, "–")


def test_takes_of_a_prompt_count_as_one_prompt():
    """Twice as many takes of equal clips are no more evidence about other prompts."""
    widths = []
    for number, takes in enumerate((1, 4)):
        pack = made_pack(slug=f"pack-{number}", prompts=8)
        found = made_round(pack, [made_set(pack, f"one-{number}", takes=takes)], slug=f"round-{number}")
        judge_says(found, lambda clip, name: str(1 + int(clip.prompt.key[-1]) % 5), slug=f"judge-{number}")
        widths.append(board(found).figures[f"judge-{number}"][0].interval.half_width)
    assert widths[0] == pytest.approx(widths[1])


def test_people_agree_on_clips_and_by_halves():
    pack = made_pack(prompts=8)
    quality = {"a": 1.0, "b": 2.5, "c": 4.5}
    found = made_round(pack, [made_set(pack, name) for name in quality])
    people_say(found, noisy(quality, spread=0.4), people=8)
    agreement = {title: figures for title, *figures in board(found).agreement(read(found).people)}
    alpha, halves = agreement["Physical plausibility"]
    assert 0.6 < alpha < 1
    assert halves == pytest.approx(1.0)


def test_more_prompts_show_smaller_differences():
    pack = made_pack(prompts=12)
    quality = {"a": 2.0, "b": 3.0, "c": 4.0}
    found = made_round(pack, [made_set(pack, name) for name in quality])
    people_say(found, noisy(quality), people=10)
    sizes = board(found).sizes(read(found).people)
    assert [prompts for prompts, *_ in sizes] == [24, 50, 100, 250, 500]
    assert all(before[1] > after[1] and before[2] > after[2] for before, after in pairwise(sizes))
    assert sizes[-1][1] == pytest.approx(sizes[0][1] * (24 / 500) ** 0.5, rel=0.2)


def test_nothing_left_out_says_nothing():
    assert AnswerCounts(5, 0, 0, 0).left_out == ""
    assert AnswerCounts(5, 1200, 3, 1).left_out == "1,200 can’t tell, 3 unread, 1 missing"
