"""A video's questions: one of each kind that has an answer in the case, with random synonyms."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from scenes.craft.questions.modules import MODULES, CaseFacts, NoAnswer
from scenes.craft.questions.templates import ProgramStep, Template, synonyms, templates
from scenes.craft.world.parts import Chance
from scenes.craft.world.run import Case
from scenes.scene import Profile

Answer = bool | int | str
Values = Mapping[str, str]  # slot -> attribute: {"<Z>": "small", …}
SYNONYM_SLOT = re.compile(r"\*([^*]+)\*")
VALUE_SLOT = re.compile(r"<[ZCS]2?>")


@dataclass(frozen=True)
class GeneratedQuestion:
    """One question about one video; `number` is its place among all questions generated for the video."""

    number: int
    template: Template
    values: Values
    text: str
    answer: Answer


def ask(case: Case, rng: Generator) -> list[GeneratedQuestion]:
    """At most one question of each of the 67 kinds, for the kinds that have an answer here."""
    facts, chance = CaseFacts(case), Chance(rng)
    questions: list[GeneratedQuestion] = []
    for template in templates().values():
        found = next(_instances(template.program, facts, {}, [], chance), None)
        if found:
            values, answer = found
            questions.append(
                GeneratedQuestion(len(questions), template, values, _text(template, values, chance), answer)
            )
    return questions


def answer(program: Sequence[ProgramStep], values: Values, facts: CaseFacts) -> Answer:
    """The program's answer for these facts; raises NoAnswer."""
    outputs: list[Any] = []
    for step in program:
        outputs.append(_run(step, values, outputs, facts))
    result: Answer = outputs[-1]
    return result


def _run(step: ProgramStep, values: Values, outputs: list[Any], facts: CaseFacts) -> Any:
    inputs = [outputs[place] for place in step.inputs]
    return MODULES[step.module](facts, *inputs, *([values[step.slot]] if step.slot else []))


def _instances(
    program: Sequence[ProgramStep], facts: CaseFacts, values: dict[str, str], outputs: list[Any], chance: Chance
) -> Iterator[tuple[Values, Answer]]:
    """Yield every filling of the slots that has an answer, depth first, with each slot's values in random order."""
    outputs = list(outputs)
    for step in program[len(outputs) :]:
        if step.slot and step.slot not in values:
            for value in chance.mixed(step.domain):
                yield from _instances(program, facts, values | {step.slot: value}, outputs, chance)
            return
        try:
            outputs.append(_run(step, values, outputs, facts))
        except NoAnswer:
            return
    yield values, outputs[-1]


def _text(template: Template, values: Values, chance: Chance) -> str:
    """One of the template's texts, in which a word used twice gets the same synonym."""
    words = {word: chance.one_of(choices) for word, choices in synonyms().items()}
    text = SYNONYM_SLOT.sub(lambda slot: words[slot[1]], chance.one_of(template.texts))
    return VALUE_SLOT.sub(lambda slot: _word(values[slot[0]], chance), text)


def _word(value: str, chance: Chance) -> str:
    """The value or a synonym, such as `block` for `cube`, chosen at random for each mention."""
    return chance.one_of(synonyms().get(value, (value,)))


def sieved(
    questions: Sequence[GeneratedQuestion], case: Case, shaken: Sequence[Case], profile: Profile
) -> list[GeneratedQuestion]:
    """Questions whose answer is the same after each perturbation.

    The original code and `faithful` use only the perturbed variations and take everything else from the undisturbed
    run, so they never drop a descriptive question.
    """
    worlds = [CaseFacts(one if profile == "corrected" else Case(case.original, one.without)) for one in shaken]
    return [question for question in questions if all(_stands(question, facts) for facts in worlds)]


def _stands(question: GeneratedQuestion, facts: CaseFacts) -> bool:
    try:
        return answer(question.template.program, question.values, facts) == question.answer
    except NoAnswer:
        return False


def cleaned(questions: Sequence[GeneratedQuestion], case: Case) -> list[GeneratedQuestion]:
    """Drop the 19 kinds that the benchmark leaves out, and questions about a shape if there is only one."""
    shapes = {thing.shape for thing in case.original.dynamic}
    return [
        question
        for question in questions
        if question.template.is_asked and (question.template.answer_type != "Shape" or len(shapes) > 1)
    ]
