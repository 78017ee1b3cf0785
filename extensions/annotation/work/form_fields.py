"""The fields of a stage's form, with the values and errors of the last submission so that it reappears as sent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from extensions.annotation.protocol.vocabulary import CONFIDENCES, FLAGS, IRRELEVANT, MATERIALS, PROPERTIES, Text
from extensions.annotation.work.form_parsing import Sent

SIDES: Sequence[tuple[str, Text]] = (("0", _("Object 1")), ("1", _("Object 2")))


@dataclass(frozen=True)
class FormOption:
    """A checkbox or radio button, and whether it is chosen."""

    value: str
    label: Text
    is_chosen: bool


@dataclass(frozen=True)
class Filled:
    """A submitted form and its errors."""

    sent: Sent
    errors: Mapping[str, str]

    def text(self, name: str) -> str:
        return (list(self.sent.get(name, ())) or [""])[-1]

    def error(self, name: str) -> str:
        return self.errors.get(name, "")

    def choices(self, name: str, options: Iterable[tuple[str, Text]]) -> list[FormOption]:
        chosen = self.sent.get(name, ())
        return [FormOption(value, label, value in chosen) for value, label in options]


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
        "answers": form.choices(f"answer-{place}", SIDES),
        "properties": form.choices(f"properties-{place}", PROPERTIES.items()),
        "other": form.text(f"other-{place}"),
        "text_error": form.error(f"text-{place}"),
        "answer_error": form.error(f"answer-{place}"),
        "properties_error": form.error(f"properties-{place}"),
    }


def line_fields(form: Filled, place: int, text: Text, *, may_be_irrelevant: bool) -> dict[str, Any]:
    """The fields of one line in a list of questions."""
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
