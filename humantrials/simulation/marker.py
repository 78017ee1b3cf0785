"""Simulated participants who answer with a moment, late by a known lag and with delayed presses, or with a number."""

from dataclasses import dataclass

from benchmarks.disclosure import SCORER, with_expected
from benchmarks.packs.truth.telling_frames import window_of
from humantrials.models import Slot
from humantrials.protocols.trial_types import SECONDS
from humantrials.simulation.browser import PageReader
from humantrials.simulation.participant import Person
from measures.scores.moment_answers import NOTHING_WRONG
from measures.scores.number_answers import number_in

DELAY, JITTER = 0.3, 0.05  # of a press, seconds


@dataclass(frozen=True)
class MarkedClip:
    """A clip's length and the second at which its violation can be known; None without one."""

    seconds: float
    knowable: float | None


def marked_clips(token: str) -> dict[int, MarkedClip]:
    """The clip at each position of the person's sheet, which no page tells."""
    slots = Slot.objects.filter(sheet__given_to__token=token).select_related("item")
    found = {}
    for slot in with_expected(slots, to=SCORER, item="item").prefetch_related("item__media__clip"):
        clip = slot.item.clip
        window = window_of(clip.facts) if clip and slot.expected == "no" else None
        found[slot.position] = MarkedClip(clip.seconds if clip else 0.0, window.knowable if window else None)
    return found


class MomentMarker(Person):
    """Sees a violation with the probability `accuracy`, and then names its moment `lag` seconds late; else guesses."""

    clips: dict[int, MarkedClip] | None = None

    def _practice_answer(self, page: PageReader) -> dict[str, str]:
        return {"answer": "nothing"}

    def _press(self) -> float:
        return max(0.1, self.rng.gauss(DELAY, JITTER))

    def _answer_fields(self, right: dict[int, str], position: int, answers: list[str]) -> dict[str, str]:
        if self.clips is None:
            self.clips = marked_clips(self.token)
        clip = self.clips.get(position, MarkedClip(1.0, None))
        if clip.knowable is not None and self.rng.random() < self.habits.accuracy:
            seen = clip.knowable + self.rng.gauss(self.habits.lag, 0.1)
            return self._marked(seen, seen + self._press(), clip)
        if self.rng.random() < self.habits.guesses:
            guess = self.rng.uniform(0, clip.seconds)
            return self._marked(guess, guess, clip)
        return {"answer": "nothing"}

    def _marked(self, seen: float, pressed: float, clip: MarkedClip) -> dict[str, str]:
        moment, press = (f"{min(max(0.0, at), clip.seconds):.2f}" for at in (seen, pressed))
        return {"answer": "seconds", "moment": moment, "presses": press}


FAR = 3.0  # how far a guess lies from the right number, at most
FIELDS = {SECONDS: "moment"}  # the field of a button, if it is not of the button's name


class NumberTeller(Person):
    """Answers with the middle of the right range, or with a number near it."""

    def _answer_fields(self, right: dict[int, str], position: int, answers: list[str]) -> dict[str, str]:
        wanted = right.get(position, "")
        is_right = self.rng.random() < self.habits.accuracy
        if wanted == NOTHING_WRONG and is_right:
            return {"answer": NOTHING_WRONG}
        low, _, high = wanted.partition("..")
        ends = [float(end) for end in (low, high or low) if number_in(end)] or [0.0]
        number = sum(ends) / len(ends)
        if not is_right:
            number = abs(number + self.rng.uniform(0.5, FAR))
        button = answers[0]
        return {"answer": button, FIELDS.get(button, button): f"{number:.2f}"}
