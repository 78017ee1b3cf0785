"""The fields of a stage's form with what was typed into them and what is wrong with it: a page that comes back is as it
was sent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from humantrials.annotation.reading import Sent
from humantrials.annotation.vocabulary import CONFIDENCES, FLAGS, IRRELEVANT, MATERIALS, PROPERTIES, Text

SIDES: Sequence[tuple[str, Text]] = (("0", _("Object 1")), ("1", _("Object 2")))


@dataclass(frozen=True)
class Choice:
    """A checkbox or one of several buttons, and whether it is chosen."""

    value: str
    label: Text
    is_chosen: bool


@dataclass(frozen=True)
class Filled:
    """A form as somebody sent it."""

    sent: Sent
    errors: Mapping[str, str]

    def text(self, name: str) -> str:
        return (list(self.sent.get(name, ())) or [""])[-1]

    def error(self, name: str) -> str:
        return self.errors.get(name, "")

    def choices(self, name: str, options: Iterable[tuple[str, Text]]) -> list[Choice]:
        chosen = self.sent.get(name, ())
        return [Choice(value, label, value in chosen) for value, label in options]


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
    """One question of a writer's form."""
    return {
        "place": place,
        "is_optional": False,
        "text": form.text(f"text-{place}"),
        "answers": form.choices(f"answer-{place}", SIDES),
        "properties": form.choices(f"properties-{place}", PROPERTIES.items()),
        "other": form.text(f"other-{place}"),
        "text_error": form.error(f"text-{place}"),
        "answer_error": form.error(f"answer-{place}"),
        "properties_error": form.error(f"properties-{place}"),
    }


def line_fields(form: Filled, place: int, text: Text, *, may_be_irrelevant: bool) -> dict[str, Any]:
    """One line of a list of questions."""
    options = (*SIDES, (IRRELEVANT, _("Irrelevant"))) if may_be_irrelevant else SIDES
    return {
        "place": place,
        "text": text,
        "choices": form.choices(f"choice-{place}", options),
        "is_bad": f"bad-{place}" in form.sent,
        "why": form.text(f"why-{place}"),
        "error": form.error(f"choice-{place}"),
        "why_error": form.error(f"why-{place}"),
    }


NOTHING = Filled({}, {})
