"""Signs that a program answered instead of a person, each with its figure: one flag, and one rule to register.

No sign rejects anybody by itself. How often they are right is measured in tests/humantrials/judging/test_programs.py.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, pstdev
from typing import Any

from measures.estimate import at_most_by_chance

# Of one person's answers in the order of the sheet: `seconds` and the playback. Answers to attention items have `item`,
# `answer`, `options` (how many) and, if known, `is_right` and `pair`, which the two clips of one draw share.
Records = Sequence[Mapping[str, Any]]
ENOUGH = 8  # answers: with fewer, such patterns come up by chance
LEAST_SPREAD = 0.15  # of the times, as a share of their mean; people's are about 0.5
HALF = 0.5  # share of answers from which on a sign is one
LOOKING = 0.9  # how often who looks has both clips of an easy pair right, and answers an easy question the same again
NOT_LOOKING, GUESSING = 0.02, 0.05  # p below which looking, and guessing, no longer explain the hits


def steered(own: Records) -> str:
    """The browser says that a program steers it, or answers were pressed by no hand."""
    words = Counter(word for one in own for word in str(one.get("automation", "")).split())
    return ", ".join(f"{word} in {n} of {len(own)} answers" for word, n in sorted(words.items()))


def without_script(own: Records) -> str:
    """No answer was timed: the page's script did not run. Few people switch it off."""
    is_plain = len(own) >= ENOUGH and all(one["seconds"] is None for one in own)
    return f"no script in {len(own)} answers" if is_plain else ""


def without_input(own: Records) -> str:
    """Timed answers during which nobody moved, touched or pressed anything."""
    timed = [one for one in own if one["seconds"] is not None]
    n = sum(not one.get("inputs") for one in timed)
    return f"no input during {n} of {len(own)} answers" if len(own) >= ENOUGH and n > HALF * len(own) else ""


def regular(own: Records) -> str:
    """Times that vary less than anybody's."""
    times = [one.get("after_end", one["seconds"]) for one in own]
    known = [float(time) for time in times if time is not None]
    if len(known) < ENOUGH or not fmean(known):
        return ""
    spread = pstdev(known) / fmean(known)
    return f"times vary by {spread:.0%} of their mean" if spread < LEAST_SPREAD else ""


def trapped(own: Records) -> str:
    """A field was filled in that only the page's source shows, as it asks programs to that read it."""
    n = sum(bool(one.get("remark")) for one in own)
    return f"a hidden field filled in {n} of {len(own)} times" if n else ""


def misses_twins(own: Records) -> str:
    """Both clips of a pair were asked: who looks has both right, who reads or guesses has one."""
    pairs: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for one in own:
        if one.get("pair") and one["is_right"] is not None:
            pairs[one["pair"]].setdefault(one["item"], one)
    complete = [list(pair.values()) for pair in pairs.values() if len(pair) == 2]
    both = [all(one["is_right"] for one in pair) for pair in complete]
    chances = [1 / (first["options"] * second["options"]) for first, second in complete]
    return _as_by_guessing(both, chances, "pairs of twins both right")


def inconsistent(own: Records) -> str:
    """A question that was asked twice was answered otherwise."""
    repeated: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for one in own:
        if "item" in one:
            repeated[one["item"]].append(one)
    twice = [answers for answers in repeated.values() if len(answers) > 1]
    same = [first["answer"] == second["answer"] for first, second, *_ in twice]
    return _as_by_guessing(
        same, [1 / answers[0]["options"] for answers in twice], "repeated questions answered the same"
    )


def _as_by_guessing(hits: Sequence[bool], chances: Sequence[float], words: str) -> str:
    """Whether so few hits are what guessing gives and not what looking gives, each by an exact binomial test."""
    if not hits:
        return ""
    n, seen = len(hits), sum(hits)
    by_guessing = 1 - at_most_by_chance(seen - 1, n, fmean(chances)) if seen else 1.0
    is_sign = at_most_by_chance(seen, n, LOOKING) < NOT_LOOKING and by_guessing >= GUESSING
    return f"{seen} of {n} {words} (p = {by_guessing:.2g} by guessing)" if is_sign else ""


DETECTORS: Mapping[str, Callable[[Records], str]] = {
    "steered": steered,
    "without-script": without_script,
    "without-input": without_input,
    "regular": regular,
    "trapped": trapped,
    "misses-twins": misses_twins,
    "inconsistent": inconsistent,
}


def signs_of(own: Records) -> list[str]:
    """What each detector says of one person's answers, where it says anything."""
    return [text for detector in DETECTORS.values() if (text := detector(own))]


def copies(times: Mapping[int, Sequence[float | None]]) -> dict[int, str]:
    """People at least half of whose times are those of somebody else, one by one and to the millisecond."""
    at: dict[tuple[int, float], list[int]] = defaultdict(list)
    for person, own in times.items():
        for number, time in enumerate(own):
            if time is not None:
                at[number, time].append(person)
    same = Counter(pair for people in at.values() for pair in combinations(people, 2))
    return {
        person: f"{n} of {len(times[person])} times are somebody else's"
        for pair, n in same.items()
        for person in pair
        if n >= ENOUGH and n > HALF * len(times[person])
    }
