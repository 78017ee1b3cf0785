"""Forms of annotation: parsed strictly (the whole content, or BadWork with a sentence for each wrong field), and drawn.

What was sent with errors reappears as it was sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from extensions.annotation.protocol.vocabulary import (
    CONFIDENCES,
    FLAGS,
    IRRELEVANT,
    MATERIALS,
    PROPERTIES,
    only_names_a_property,
    plain_words,
)
from humantrials.protocols.protocol import Text
from measures.scores.number_answers import typed_number

Sent = Mapping[str, Sequence[str]]
Content = dict[str, Any]

SMALLEST: Final = 4  # pixels: a shorter side of a box is a slip of the hand
FEWEST_WORDS, MOST_WORDS = 5, 45  # as in the released questions (section 4.3)
LONGEST, LONGEST_NAME, LONGEST_WHY = 300, 80, 400  # letters
SIDES: Final = {"0": gettext_lazy("Object 1"), "1": gettext_lazy("Object 2")}
# How we know that a stored box is the one that the participant saw. Boxes from the earlier form have no proof.
BOX_DISPLAYED: Final = "shown"  # the picture showed this box when it was sent
TYPED: Final = "typed"  # numbers typed on a page without JavaScript, which shows no box


class BadWork(ValueError):
    """An invalid submission; `errors` maps each field to a sentence in the reader's language."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = dict(errors)


def text_of(sent: Sent, name: str, longest: int = LONGEST) -> str:
    """One line with normalised spaces, cut one character past the limit so that a length check still fails."""
    value = (list(sent.get(name, ())) or [""])[-1]
    return " ".join("".join(letter if letter.isprintable() else " " for letter in value).split())[: longest + 1]


def read_flag(sent: Sent) -> Content | None:
    """The flag, which excludes the clip whatever else was answered, or None."""
    if "flagging" not in sent:
        return None
    flag = text_of(sent, "flag")
    if flag not in FLAGS:
        raise BadWork({"flag": _("Say what is the matter with the clip.")})
    return {"flag": flag}


def read_box(sent: Sent, width: int, height: int) -> Content:
    """The box as (left, top, right, bottom) in the clip's pixels, the object's name, and the proof of the box."""
    errors, name = {}, text_of(sent, "name", LONGEST_NAME)
    if not name or len(name) > LONGEST_NAME:
        errors["name"] = _("Say in a word or two what the object is.")
    edges = [_whole(text_of(sent, side)) for side in ("left", "top", "width", "height")]
    left, top, wide, high = (edge if edge is not None else -1 for edge in edges)
    displayed = text_of(sent, "shown")
    if None in edges:
        errors["box"] = _("Draw a box around the object, or type where it lies in whole pixels.")
    elif displayed and displayed != f"{left} {top} {wide} {high}":
        errors["box"] = _(
            "The picture showed another box than the numbers say. Look where it lies now, and send it again."
        )
    else:
        errors |= _fault_of_box(left, top, wide, high, width, height)
    if errors:
        raise BadWork(errors)
    proof = BOX_DISPLAYED if displayed else TYPED
    return {"box": [left, top, left + wide, top + high], "name": name, "proof": proof}


def _fault_of_box(left: int, top: int, wide: int, high: int, width: int, height: int) -> dict[str, str]:
    """The error of whole numbers as a box within `width` × `height`; empty if there is none."""
    if wide <= 0 or high <= 0:
        return {"box": _("The box has no area. Draw it around the object, or type its width and height.")}
    if wide < SMALLEST or high < SMALLEST:
        words = _("The box is too small: it must be at least %(least)s pixels wide and high.") % {"least": SMALLEST}
        return {"box": words}
    if left < 0 or top < 0 or left + wide > width or top + high > height:
        words = _("The box leaves the picture, which is %(width)s × %(height)s pixels.")
        return {"box": words % {"width": width, "height": height}}
    return {}


def _whole(text: str) -> int | None:
    number = typed_number(text) or ""
    return int(number) if number.removeprefix("-").isdecimal() and len(number) < 7 else None


def read_materials(sent: Sent) -> Content:
    """Materials from the list plus one typed by the participant, and their confidence, 1 to 5."""
    errors, own = {}, text_of(sent, "other", LONGEST_NAME).casefold()
    materials = [name for name in MATERIALS if name in sent.get("materials", ())]
    if own and len(own) <= LONGEST_NAME:
        materials = [*materials, *([own] if own not in materials else [])]
    if not materials:
        errors["materials"] = _("Choose at least one material, or type one.")
    confidence = _whole(text_of(sent, "confidence"))
    if confidence not in CONFIDENCES:
        errors["confidence"] = _("Say how sure you are, from 1 to 5.")
    if errors:
        raise BadWork(errors)
    return {"materials": materials, "confidence": confidence}


def read_questions(sent: Sent, most: int = 2) -> Content:
    """One or two questions; the second may be left empty."""
    errors: dict[str, str] = {}
    found = []
    for place in range(most):
        if place and not _has_any(sent, place):
            continue
        question, wrong = _question(sent, place)
        found.append(question)
        errors |= wrong
    if len(found) == 2 and plain_words(found[0]["text"]) == plain_words(found[1]["text"]) and "text-1" not in errors:
        errors["text-1"] = _("This repeats the first question.")
    if errors:
        raise BadWork(errors)
    return {"questions": found}


def _has_any(sent: Sent, place: int) -> bool:
    names = (f"{name}-{place}" for name in ("text", "answer", "properties", "other"))
    return any(value.strip() for name in names for value in sent.get(name, ()))


def _question(sent: Sent, place: int) -> tuple[Content, dict[str, str]]:
    text, answer = text_of(sent, f"text-{place}"), text_of(sent, f"answer-{place}")
    typed = text_of(sent, f"other-{place}", LONGEST_NAME)[:LONGEST_NAME].casefold()
    chosen = [name for name in PROPERTIES if name in sent.get(f"properties-{place}", ())]
    own = [part.strip() for part in typed.split(",") if part.strip()]
    properties = list(dict.fromkeys([*chosen, *own]))
    wrong = {f"text-{place}": fault_of(text)} if fault_of(text) else {}
    if answer not in SIDES:
        wrong[f"answer-{place}"] = _("Say which object answers your question better.")
    if not properties:
        wrong[f"properties-{place}"] = _("Name at least one property that decides the question.")
    return {"text": text, "answer": int(answer) if answer in SIDES else None, "properties": properties}, wrong


def fault_of(question: str) -> str:
    """The error in a question's text, or ''."""
    count = len(plain_words(question))
    if not question:
        return _("Write a question.")
    if count < FEWEST_WORDS:
        return _("The question is too short: write at least %(words)s words.") % {"words": FEWEST_WORDS}
    if count > MOST_WORDS or len(question) > LONGEST:
        return _("The question is too long: %(words)s words at most.") % {"words": MOST_WORDS}
    if not question.endswith("?"):
        return _("A question ends with a question mark.")
    if only_names_a_property(question):
        return _("This only asks for a property. Ask for something that follows from it.")
    return ""


def read_answers(sent: Sent, places: Iterable[int], *, may_be_irrelevant: bool, needs_why: bool = False) -> Content:
    """The choice at each place, and whether the question was ticked as bad; a bad question needs no choice."""
    choices = (*SIDES, IRRELEVANT) if may_be_irrelevant else SIDES
    errors, found = {}, {}
    for place in places:
        choice, is_bad = text_of(sent, f"choice-{place}"), f"bad-{place}" in sent
        found[str(place)] = {"choice": choice if choice in choices else "", "bad": is_bad}
        if choice not in choices and not is_bad:
            errors[f"choice-{place}"] = _("This question has no answer yet.")
        if needs_why:
            why = text_of(sent, f"why-{place}", LONGEST_WHY)[:LONGEST_WHY]
            found[str(place)]["why"] = why
            if len(plain_words(why)) < FEWEST_WORDS:
                errors[f"why-{place}"] = _("Give your reason in a sentence or two.")
    if errors:
        raise BadWork(errors)
    return {"answers": found}


@dataclass(frozen=True)
class Filled:
    """A submitted form and its errors."""

    sent: Sent
    errors: Mapping[str, str]

    def text(self, name: str) -> str:
        return (list(self.sent.get(name, ())) or [""])[-1]

    def error(self, name: str) -> str:
        return self.errors.get(name, "")

    def choices(self, name: str, options: Iterable[tuple[str, Text]]) -> list[dict[str, Any]]:
        """The checkboxes or radio buttons of this field, and whether each is chosen."""
        chosen = self.sent.get(name, ())
        return [{"value": value, "label": label, "is_chosen": value in chosen} for value, label in options]


def box_fields(form: Filled) -> dict[str, Any]:
    names = ("left", "top", "width", "height")
    labels = (_("Left"), _("Top"), _("Width"), _("Height"))
    edges = [(name, label, form.text(name)) for name, label in zip(names, labels, strict=True)]
    return {"edges": edges, "name": form.text("name"), "box_error": form.error("box"), "name_error": form.error("name")}


def material_fields(form: Filled) -> dict[str, Any]:
    return {
        "materials": form.choices("materials", MATERIALS.items()),
        "other": form.text("other"),
        "confidences": form.choices("confidence", ((str(number), str(number)) for number in CONFIDENCES)),
        "materials_error": form.error("materials"),
        "confidence_error": form.error("confidence"),
    }


def flag_fields(form: Filled) -> dict[str, Any]:
    return {"flags": form.choices("flag", FLAGS.items()), "flag_error": form.error("flag")}


def question_fields(form: Filled, place: int) -> dict[str, Any]:
    """The fields of one question in a writer's form."""
    return {
        "place": place,
        "is_optional": False,
        "text": form.text(f"text-{place}"),
        "answers": form.choices(f"answer-{place}", SIDES.items()),
        "properties": form.choices(f"properties-{place}", PROPERTIES.items()),
        "other": form.text(f"other-{place}"),
        "text_error": form.error(f"text-{place}"),
        "answer_error": form.error(f"answer-{place}"),
        "properties_error": form.error(f"properties-{place}"),
    }


def line_fields(form: Filled, place: int, text: Text, *, may_be_irrelevant: bool) -> dict[str, Any]:
    """The fields of one line in a list of questions."""
    options = SIDES | ({IRRELEVANT: _("Irrelevant")} if may_be_irrelevant else {})
    return {
        "place": place,
        "text": text,
        "choices": form.choices(f"choice-{place}", options.items()),
        "is_bad": f"bad-{place}" in form.sent,
        "why": form.text(f"why-{place}"),
        "error": form.error(f"choice-{place}"),
        "why_error": form.error(f"why-{place}"),
    }


NOTHING = Filled({}, {})
