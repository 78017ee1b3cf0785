"""A video's questions: one of each kind where the case has an answer, in words drawn from the synonyms."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from scenes.craft.chance import Chance
from scenes.craft.modules import MODULES, Facts, Unanswerable
from scenes.craft.run import Case
from scenes.craft.templates import Step, Template, synonyms, templates
from scenes.scene import Profile

Answer = bool | int | str
Values = Mapping[str, str]  # slot -> attribute: {"<Z>": "small", …}
SYNONYM_SLOT = re.compile(r"\*([^*]+)\*")
VALUE_SLOT = re.compile(r"<[ZCS]2?>")


@dataclass(frozen=True)
class Question:
    """One question about one video; `number` is its place among all that were made for it."""

    number: int
    template: Template
    values: Values
    text: str
    answer: Answer


def ask(case: Case, rng: Generator) -> list[Question]:
    """One question of each of the 67 kinds that has an answer here, at most."""
    facts, chance = Facts(case), Chance(rng)
    asked: list[Question] = []
    for template in templates().values():
        found = next(_instances(template.program, facts, {}, [], chance), None)
        if found:
            values, answer = found
            asked.append(Question(len(asked), template, values, _text(template, values, chance), answer))
    return asked


def answer(program: Sequence[Step], values: Values, facts: Facts) -> Answer:
    """What the program gives about these facts; raises Unanswerable."""
    result: Answer = trace(program, values, facts)[-1]
    return result


def trace(program: Sequence[Step], values: Values, facts: Facts) -> list[Any]:
    """What each step gives, the last one's being the answer."""
    outputs: list[Any] = []
    for step in program:
        outputs.append(_run(step, values, outputs, facts))
    return outputs


def _run(step: Step, values: Values, outputs: list[Any], facts: Facts) -> Any:
    given = [outputs[place] for place in step.inputs]
    return MODULES[step.module](facts, *given, *([values[step.slot]] if step.slot else []))


def _instances(
    program: Sequence[Step], facts: Facts, values: dict[str, str], outputs: list[Any], chance: Chance
) -> Iterator[tuple[Values, Answer]]:
    """Every way of filling the slots that has an answer, deep before broad, each slot's values in a drawn order."""
    outputs = list(outputs)
    for step in program[len(outputs) :]:
        if step.slot and step.slot not in values:
            for value in chance.mixed(step.domain):
                yield from _instances(program, facts, values | {step.slot: value}, outputs, chance)
            return
        try:
            outputs.append(_run(step, values, outputs, facts))
        except Unanswerable:
            return
    yield values, outputs[-1]


def _text(template: Template, values: Values, chance: Chance) -> str:
    """One of the template's texts; a word that stands twice in it gets the same synonym."""
    said = {word: chance.one_of(choices) for word, choices in synonyms().items()}
    text = SYNONYM_SLOT.sub(lambda slot: said[slot[1]], chance.one_of(template.texts))
    return VALUE_SLOT.sub(lambda slot: _word(values[slot[0]], chance), text)


def _word(value: str, chance: Chance) -> str:
    """`cube` may become `block`; each mention of a thing is drawn anew."""
    return chance.one_of(synonyms().get(value, (value,)))


def sieved(questions: Sequence[Question], case: Case, shaken: Sequence[Case], profile: Profile) -> list[Question]:
    """Questions whose answer stays the same after each noise.

    The original looks at the shaken variations only and takes all else from the undisturbed run, so that no descriptive
    question is ever dropped: `faithful` does so too.
    """
    worlds = [Facts(one if profile == "corrected" else Case(case.original, one.without)) for one in shaken]
    return [question for question in questions if all(_stands(question, facts) for facts in worlds)]


def _stands(question: Question, facts: Facts) -> bool:
    try:
        return answer(question.template.program, question.values, facts) == question.answer
    except Unanswerable:
        return False


def cleaned(questions: Sequence[Question], case: Case) -> list[Question]:
    """Without the 19 kinds that are not asked, and without questions after a shape where there is but one."""
    shapes = {thing.shape for thing in case.original.dynamic}
    return [
        question
        for question in questions
        if question.template.is_asked and (question.template.answer_type != "Shape" or len(shapes) > 1)
    ]
