"""Simulated annotators: they know the materials in our clips, write questions from a list, and answer by material.
The result is a data set in the right format that says nothing about people.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.storage.renditions import box_of
from extensions.annotation.desk.question_review import accept_question, refuse_question, statement_of
from extensions.annotation.models import (
    AnnotationObject,
    AnnotationPair,
    QualificationRound,
    QuestionState,
    RoundState,
    Stage,
    Task,
    TaskAnswer,
)
from extensions.annotation.pages.qualification import LAST_ROUND, grade_round, how_many, lines_for, round_for
from extensions.annotation.pages.submission import PARTS, lines_of, part_of
from extensions.annotation.pages.task_pages import next_task
from extensions.annotation.protocol.vocabulary import IRRELEVANT, MATERIALS
from humantrials.models import Participant, Trial
from humantrials.protocols.designs.balanced import lot
from humantrials.simulation.browser import PIECE, PageReply, Visitor
from humantrials.simulation.participant import Person

Fields = dict[str, str | list[str]]

# From least to most, for things of similar size: enough to disagree about, not a table of physics.
HARDNESS: Final = ("foam", "slime", "textiles", "paper", "leather", "rubber", "plant", "wax", "clay", "plastic", "wood")
ORDER: Final = {name: rank for rank, name in enumerate((*HARDNESS, "ceramic", "glass", "concrete", "stone", "metal"))}
WEIGHT: Final = {name: rank for rank, name in enumerate(
    ("foam", "paper", "textiles", "plant", "wood", "leather", "plastic", "wax", "rubber", "clay", "glass", "ceramic",
     "concrete", "stone", "metal")
)}  # fmt: skip
SAMENESS: Final = {"textile": "textiles"}  # our clips' name -> the pages' name
THINGS: Final = ("a wooden table", "a thin pane of ice", "a ripe tomato", "a tiled floor", "a bed of dry sand")


@dataclass(frozen=True)
class Pattern:
    """A question with a gap for a third thing; the object with the higher (or lower) rank is the answer."""

    text: str
    properties: tuple[str, ...]
    rank: dict[str, int]
    is_higher: bool = True


PATTERNS: Final = (
    Pattern("Which object would leave a deeper dent if it fell onto {} from a shelf?", ("hard", "weight"), ORDER),
    Pattern("Which object would make less noise when thrown onto {} by a child?", ("hard",), ORDER, is_higher=False),
    Pattern("If left on {} in a storm, which object would be blown away first?", ("weight", "shape"), WEIGHT, False),
    Pattern("Which object could be squeezed into a gap beside {} without being damaged?", ("flex",), ORDER, False),
    Pattern("Which object would hold {} in place better on a slope?", ("weight", "strength"), WEIGHT),
)
TEXTS: Final = {pattern.text.format(thing): pattern for pattern in PATTERNS for thing in THINGS}


def made_of(one: AnnotationObject) -> list[str]:
    """The clip's known materials, or plastic if none is known."""
    names = [SAMENESS.get(name, name) for name in one.clip.facts.get("materials", ())]
    return [name for name in names if name in MATERIALS] or ["plastic"]


def answer_to(text: str, pair: AnnotationPair) -> str:
    """The answer by the ranks of the objects' materials; irrelevant if they are equal."""
    pattern = TEXTS.get(text)
    if pattern is None:
        return IRRELEVANT
    first, second = (max(pattern.rank.get(name, -1) for name in made_of(one)) for one in pair.both)
    if first == second:
        return IRRELEVANT
    return "0" if (first > second) == pattern.is_higher else "1"


@dataclass
class Annotator(Person):
    """A simulated participant of an annotation trial."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.is_careless = self.rng.random() < self.habits.careless

    def lost_answers(self) -> int:
        saved = TaskAnswer.objects.filter(participant__token=self.token, is_complete=True)
        return len(set(self.acknowledged) - set(saved.values_list("task__position", flat=True)))

    def _work(self, visitor: Visitor, right: dict[int, str], *, may_leave: bool) -> None:
        """Do tasks until there is a code, a wait for grades, or no place."""
        gone_at = self.rng.randrange(4) if may_leave else None
        text = visitor.get(self.step_path).text
        for count in range(1000):
            if 'name="position"' not in text:
                self.outcome = self._end_of()
                return
            if count == gone_at:
                self.outcome = "left"
                return
            text = self._send_task(visitor)
        self.outcome = "unfinished"

    def _end_of(self) -> str:
        person = self._person()  # a page with a code may also be that of somebody who waits for grades
        if person.has_finished:
            return "finished"
        return {"consented": "waiting" if person.rounds.exists() else "turned away", "excluded": "let go"}.get(
            person.state, "turned away"
        )

    def _person(self) -> Participant:
        return Participant.objects.select_related("trial", "sheet", "first").get(token=self.token)

    def _send_task(self, visitor: Visitor) -> str:
        """Send one task, a part of one, or a round; returns the page after it."""
        person = self._person()
        if next_round := round_for(person):
            reply = visitor.post(f"{self.step_path}task/", {"position": "round", **self._round(next_round)})
            return self._page_after(visitor, reply)
        found = next_task(person)
        if found is None:
            return visitor.get(self.step_path).text
        task, content = found
        for place in range(2 if task.pair else 1):
            visitor.get(f"{self.step_path}w/{task.position}/{place}", PIECE)
        fields: Fields = {"position": str(task.position), "seconds": f"{20 + self.rng.random() * 40:.3f}"}
        for _ in range(2 if self.rng.random() < self.habits.doubled else 1):
            reply = visitor.post(f"{self.step_path}task/", fields | self._fields(task, part_of(content)))
        if reply.status == 200 and (not task.object or part_of(content) == PARTS[-1]):
            self.acknowledged.setdefault(task.position, "")
            self.log(self.token, task.position, task.stage)
        elif reply.status != 200:
            self.refused += 1
        return self._page_after(visitor, reply)

    def _page_after(self, visitor: Visitor, reply: PageReply) -> str:
        return reply.text if reply.status == 200 else visitor.get(self.step_path).text

    def _fields(self, task: Task, part: str) -> Fields:
        if task.object:
            return {"part": part, **self._object(task.object, part)}
        if task.stage == Stage.QUESTIONS and task.pair:
            return self._questions(task.pair, range(self.rng.choice((1, 2))))
        return dict(self._answers(task))

    def _object(self, one: AnnotationObject, part: str) -> Fields:
        """A slightly inaccurate box; more confidence with sound, except for one object in ten."""
        if part == "box":
            known = box_of(one.clip) or (0, 0, one.clip.width // 2, one.clip.height // 2)
            left, top, right, bottom = (int(edge) for edge in known)
            off = self.rng.randrange(3)
            wide, high = max(8, right - left - off), max(8, bottom - top - off)
            corner = {"left": min(left, one.clip.width - wide), "top": min(top, one.clip.height - high)}
            size = {"width": wide, "height": high}
            return {
                **{name: str(edge) for name, edge in (corner | size).items()},
                "name": f"thing of {made_of(one)[0]}",
                "shown": "",
            }
        draw = random.Random(f"{self.seed}/{one.number}").random()  # noqa: S311  behaviour, not secrets
        sure = "3" if part == "sight" or draw < 0.1 else "5"
        return {"materials": made_of(one), "confidence": sure}

    def _questions(self, pair: AnnotationPair, places: Sequence[int]) -> Fields:
        """Questions from the list with a clear answer for the pair, or any if there are none."""
        good = [text for text in TEXTS if answer_to(text, pair) != IRRELEVANT] or list(TEXTS)
        fields: Fields = {}
        for place, text in zip(places, self.rng.sample(good, len(places)), strict=True):
            fields |= self._question(pair, place, text)
        return fields

    def _question(self, pair: AnnotationPair, place: int, text: str) -> Fields:
        answer = answer_to(text, pair)
        side = self._maybe_wrong(answer if answer != IRRELEVANT else self.rng.choice("01"))
        properties = list(TEXTS[text].properties)
        return {f"text-{place}": text, f"answer-{place}": side, f"properties-{place}": properties}

    def _answers(self, task: Task) -> Iterator[tuple[str, str]]:
        assert task.pair is not None
        for place, question in enumerate(lines_of(task)):
            if question is None:
                attention = task.attention if not self.is_careless else str(1 - int(task.attention))
                yield f"choice-{place}", attention
                if not self.is_careless:
                    yield f"bad-{place}", "1"
                continue
            answer = answer_to(question.text, task.pair)
            if task.stage == Stage.CHECKS and answer == IRRELEVANT:
                answer = self.rng.choice("01")
            yield f"choice-{place}", self._maybe_wrong(answer)

    def _maybe_wrong(self, answer: str) -> str:
        if answer not in ("0", "1") or self.rng.random() < self.habits.accuracy:
            return answer
        return str(1 - int(answer))

    def _round(self, next_round: QualificationRound) -> Fields:
        """Answer qualification rounds without errors, with three properties in three questions."""
        fields: Fields = {}
        for number, (pair, lines) in enumerate(lines_for(next_round)):
            for place, question in lines:
                if question is None:
                    text = PATTERNS[number % len(PATTERNS)].text.format(THINGS[number % len(THINGS)])
                    fields |= {**self._question(pair, place, text), f"other-{place}": f"texture {number}"}
                    continue
                fields[f"choice-{place}"] = str(question.answer)
                if next_round.number == LAST_ROUND[Stage.ANSWERS]:
                    fields[f"why-{place}"] = "Because of what the two are made of, as far as I can see."
        return fields


ONE_IN = 20


def attend(trial: Trial) -> None:
    """Do the work of staff: grade rounds and review questions."""
    for one in trial.rounds.filter(state=RoundState.WAITING):
        grades = [3 + lot(f"{trial.seed}/grade", one.pk, place)[0] % 2 for place in range(how_many(one))]
        grade_round(one=one, grades=grades, feedback="simulated staff", by=None)
    for question in trial.questions_written.filter(state=QuestionState.WAITING):
        if lot(f"{trial.seed}/refused", question.text, question.number)[0] < 256 // ONE_IN:
            refuse_question(question=question, reason="simulated staff: one of twenty is refused", by=None)
        else:
            accept_question(question=question, text=question.text, statement=statement_of(question.text), by=None)
