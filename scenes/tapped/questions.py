"""Questions like PACS' about two things, their answers from the things' properties, and the channel that decides
each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from numpy.random import Generator

from scenes.tapped.things import MATERIALS, ROUND, TappedObject

Measure = Callable[[TappedObject], float]
# A brick and a book bounce differently, and a ball rolls faster than a can, so that a moving shape can be heard.
HEARD_BY_MOTION = ("dropped", "rolled")
# Area of the level top by shape, in squares of the thing's edge; one with an opening, a lid, a bowl or a soft top can't
# hold a cup.
FLAT_TOP = dict.fromkeys(("ball", "can", "mug", "bottle", "spoon", "cushion"), 0.01)
FLAT_TOP |= {"plate": 2.19, "brick": 1.69, "book": 2.82, "tile": 3.25}


@dataclass(frozen=True)
class PropertyQuestion:
    """A question about two things whose measures differ enough; the larger or the smaller one is the answer."""

    key: str
    text: str
    statement: str
    properties: tuple[str, ...]
    measure: Measure
    is_of_material: bool  # else of the shape, which is visible but not audible
    apart: float = 1.5  # smallest ratio of the two measures
    is_larger: bool = True


def _of(name: str) -> Measure:
    return lambda thing: float(getattr(thing.made_of, name)) + 0.01


def _reach(thing: TappedObject) -> float:
    """Its reach into a gap: its length, and the excess of length over width."""
    middle, longest = sorted(thing.size)[1:]
    return longest**2 / middle


def _hollow(thing: TappedObject) -> float:
    """Loudness of a blow: high for stiff things with a low loss."""
    material = thing.made_of
    return material.stiffness**0.25 / material.loss**0.5


BANK = (
    PropertyQuestion("question0000", "Which object would make the better paperweight next to an open window?",
             "An object that keeps paper in place in a draught", ("weight",), lambda thing: thing.mass, True),
    PropertyQuestion("question0001", "Which object could a toddler carry up the stairs more easily?",
             "An object that a toddler can carry", ("weight",), lambda thing: thing.mass, True, is_larger=False),
    PropertyQuestion("question0002",
        "If both fell off a roof onto a pavement, which one would have to be swept up in pieces?",
             "An object that shatters on a pavement", ("strength", "hard"), _of("brittle"), True, 3.0),
    PropertyQuestion("question0003", "Which object would come back to the surface if it was pushed under water?",
             "An object that floats", ("weight",), lambda thing: float(thing.made_of.density < 950) + 0.01, True, 3.0),
    PropertyQuestion("question0004", "Which object would be of more help after a glass of juice was knocked over?",
             "An object that soaks up juice", ("porosity",), _of("absorbs"), True, 1.8),
    PropertyQuestion("question0005", "Which object would keep the mark of a thumb pressed into it for a moment?",
             "An object that gives way under a thumb", ("hard", "flex"), _of("soft"), True, 1.8),
    PropertyQuestion("question0006", "After a night outdoors in winter, which object would feel colder in a bare hand?",
             "An object that feels cold in the hand", ("conductivity",), _of("conductivity"), True, 3.0),
    PropertyQuestion("question0007",
        "Which object would be more likely to wake the baby if it slipped onto the kitchen tiles?",
             "An object that makes a loud noise on tiles", ("loudness",), _hollow, True, 2.0),
    PropertyQuestion("question0008", "Which object should be kept further from a burning candle?",
             "An object that catches fire", ("flammability",), _of("burns"), True, 3.0),
    PropertyQuestion("question0009",
        "If a table was lifted a little at one end, which object would be the first to leave it?",
             "An object that rolls off a tilted table", ("shape",), lambda thing: 1.0 + 3 * ROUND.get(thing.shape, 0),
             False),
    PropertyQuestion("question0010", "Which object would be a safer place for a full cup of tea?",
             "An object with a broad, level top", ("shape", "size"), lambda thing: FLAT_TOP[thing.shape], False, 1.8),
    PropertyQuestion("question0011", "Which object could more easily be pushed through a letter box?",
             "An object that fits through a letter box", ("shape", "size"), lambda thing: min(thing.size), False, 1.4,
             is_larger=False),
    PropertyQuestion("question0012", "Which object would be better for reaching a key that fell behind a cupboard?",
             "An object that is long and narrow", ("shape", "size"), _reach, False, 1.4),
)  # fmt: skip

TEMPLATES = (
    "Which object is more likely to be made out of {}?",
    "Out of the two objects, which is more likely to contain {}?",
    "Which item is probably made of {}?",
    "If you had to pick, which object do you think is made of {}?",
    "Which object looks like it is made out of {}?",
    "Which is more likely to be a {}-like object?",
)


@dataclass(frozen=True)
class TappedDatapoint:
    """One question about two things; `channel` decides it: sound, sight or both."""

    question: str
    text: str
    label: int
    channel: str


def questions_about(first: TappedObject, second: TappedObject) -> Iterator[TappedDatapoint]:
    """Every question of the bank that has an answer for these two and can be decided from their clips."""
    for question in BANK:
        channel = channel_of(question.is_of_material, first, second)
        one, other = question.measure(first), question.measure(second)
        if channel and max(one, other) >= question.apart * min(one, other):
            yield TappedDatapoint(question.key, question.text, int((other > one) == question.is_larger), channel)


def channel_of(is_of_material: bool, first: TappedObject, second: TappedObject) -> str:
    """The deciding channel; '' if the two don't differ in the property, or if their motion makes a shape audible."""
    if is_of_material:
        if first.material == second.material:
            return ""
        return "sound" if first.is_painted and second.is_painted else "both"
    is_audible = first.action in HEARD_BY_MOTION
    return "" if first.shape == second.shape or is_audible else "sight"


def material_questions(first: TappedObject, second: TappedObject, rng: Generator) -> Iterator[TappedDatapoint]:
    """The paper's rule: one question for each material that only one of the two has, from a random template."""
    if first.material != second.material:
        for label, thing in enumerate((first, second)):
            number = int(rng.integers(len(TEMPLATES)))
            text = TEMPLATES[number].format(thing.material)
            yield TappedDatapoint(material_key(number, thing.material), text, label, channel_of(True, first, second))


def material_key(template: int, material: str) -> str:
    return f"q{template * len(MATERIALS) + list(MATERIALS).index(material):04}"


def material_bank() -> dict[str, str]:
    return {
        material_key(number, material): template.format(material)
        for number, template in enumerate(TEMPLATES)
        for material in MATERIALS
    }
