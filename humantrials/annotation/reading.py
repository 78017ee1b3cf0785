"""What a page of a stage sent, read strictly: either all of it, or every field that is wrong with a sentence. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _

from humantrials.annotation.vocabulary import (
    CONFIDENCES,
    FLAGS,
    IRRELEVANT,
    MATERIALS,
    PROPERTIES,
    only_names_a_property,
    words_of,
)

Sent = Mapping[str, Sequence[str]]
Content = dict[str, Any]

SMALLEST: Final = 4  # pixels of a side of a box: less is a slip of the hand
FEWEST_WORDS, MOST_WORDS = 5, 45  # of the released questions (section 4.3)
LONGEST, LONGEST_NAME, LONGEST_WHY = 300, 80, 400  # letters
SIDES: Final = ("0", "1")


class BadWork(ValueError):
    """What was sent is not an answer: field -> what is the matter with it, in the reader's language."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = dict(errors)


def text_of(sent: Sent, name: str, longest: int = LONGEST) -> str:
    """One line without odd blanks; what is longer than it may be is cut behind the limit, so that a check sees it."""
    value = (list(sent.get(name, ())) or [""])[-1]
    return " ".join("".join(letter if letter.isprintable() else " " for letter in value).split())[: longest + 1]


def read_flag(sent: Sent) -> Content | None:
    """A flag takes the clip out, whatever else was answered; None where none was raised."""
    if "flagging" not in sent:
        return None
    flag = text_of(sent, "flag")
    if flag not in FLAGS:
        raise BadWork({"flag": _("Say what is the matter with the clip.")})
    return {"flag": flag}


def read_box(sent: Sent, width: int, height: int) -> Content:
    """Box as (left, top, right, bottom) in the clip's pixels, and what the object is called."""
    errors, name = {}, text_of(sent, "name", LONGEST_NAME)
    if not name or len(name) > LONGEST_NAME:
        errors["name"] = _("Say in a word or two what the object is.")
    edges = [_whole(text_of(sent, side)) for side in ("left", "top", "width", "height")]
    left, top, wide, high = (edge if edge is not None else -1 for edge in edges)
    if None in edges:
        errors["box"] = _("Draw a box around the object, or type where it lies in whole pixels.")
    elif wide < SMALLEST or high < SMALLEST:
        errors["box"] = _("The box has no area. Draw it around the object, or type its width and height.")
    elif left < 0 or top < 0 or left + wide > width or top + high > height:
        errors["box"] = _("The box leaves the picture, which is %(width)s × %(height)s pixels.") % {
            "width": width,
            "height": height,
        }
    if errors:
        raise BadWork(errors)
    return {"box": [left, top, left + wide, top + high], "name": name}


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 7 else None


def read_materials(sent: Sent) -> Content:
    """Materials of the list and one of their own, and how sure they are, 1 to 5."""
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
    """One question or two; the second may be left empty altogether."""
    errors: dict[str, str] = {}
    found = []
    for place in range(most):
        if place and not _has_any(sent, place):
            continue
        question, wrong = _question(sent, place)
        found.append(question)
        errors |= wrong
    if len(found) == 2 and words_of(found[0]["text"]) == words_of(found[1]["text"]) and "text-1" not in errors:
        errors["text-1"] = _("This is the first question once more.")
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
    """What is the matter with a question's text; '' where nothing is."""
    count = len(words_of(question))
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
    """For each place what was chosen and whether it was ticked as bad; a bad question needs no choice."""
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
            if len(words_of(why)) < FEWEST_WORDS:
                errors[f"why-{place}"] = _("Give your reason in a sentence or two.")
    if errors:
        raise BadWork(errors)
    return {"answers": found}
