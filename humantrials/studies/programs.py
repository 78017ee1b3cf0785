"""Signs that a program answered instead of a person, each with its figure: one flag, and one rule to register.

No sign rejects anybody by itself. How often they are right is measured in tests/humantrials/studies/test_programs.py.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, pstdev
from typing import Any

Records = Sequence[Mapping[str, Any]]  # of one person's answers in the order of the sheet: `seconds` and the playback
ENOUGH = 8  # answers: with fewer, such patterns come up by chance
LEAST_SPREAD = 0.15  # of the times, as a share of their mean; people's are about 0.5
HALF = 0.5  # share of answers from which on a sign is one


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


DETECTORS: Mapping[str, Callable[[Records], str]] = {
    "steered": steered,
    "without-script": without_script,
    "without-input": without_input,
    "regular": regular,
    "trapped": trapped,
}
COPIED = "copied"


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
    found = {}
    for pair, n in same.items():
        for person in pair:
            if n >= ENOUGH and n > HALF * len(times[person]):
                found[person] = f"{n} of {len(times[person])} times are somebody else's"
    return found
