"""Forms for an upload, for the download of a template, and for the card of a model."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.validators import URLValidator
from django.db import transaction
from django.http import QueryDict

from benchmarks.definitions.definition import CONDITIONS
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from evaluation.models import Model
from evaluation.parsing import PARSERS
from evaluation.submissions.files.rows import MODEL_CHARACTERS, REVISION_CHARACTERS

IN_THE_FILE = ("", "as the file says")


class SubmissionForm(forms.Form):
    """Upload of a file of answers; the other fields are for tables, which have no header line."""

    file = forms.FileField(label="File of answers")
    pack = forms.ChoiceField(label="Clips", required=False)
    model = forms.CharField(label="Name of the model", required=False, max_length=MODEL_CHARACTERS)
    revision = forms.CharField(label="Revision", required=False, max_length=REVISION_CHARACTERS)
    strategy = forms.ChoiceField(label="Prompting", required=False)
    condition = forms.ChoiceField(label="What it was shown", required=False)
    split = forms.ChoiceField(label="Split", required=False)
    parser = forms.ChoiceField(label="Parser of raw replies", required=False)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for name, choices in header_choices().items():
            self.fields[name].choices = [IN_THE_FILE, *choices]  # type: ignore[attr-defined]

    @property
    def header_fields(self) -> list[forms.BoundField]:
        """The fields other than the file."""
        return [self[name] for name in self.fields if name != "file"]

    @property
    def header(self) -> dict[str, str]:
        """The header fields that were filled in."""
        filled = {name: value for name, value in self.cleaned_data.items() if value and name != "file"}
        if pack := filled.pop("pack", ""):
            filled["benchmark"], _slash, filled["pack"] = pack.partition("/")
        return filled


def fields_of(header: Mapping[str, str]) -> dict[str, str]:
    """The form's initial values for this header."""
    fields = {name: value for name, value in header.items() if name in SubmissionForm.base_fields}
    return fields | ({"pack": f"{header['benchmark']}/{header['pack']}"} if "benchmark" in header else {})


def again(query: QueryDict) -> dict[str, str]:
    """The form's initial values from a query string, for links back from a report."""
    return {name: str(query[name]) for name in SubmissionForm.base_fields if name in query and name != "file"}


class EmptyFileForm(forms.Form):
    """Choice of an empty file of answers."""

    pack = forms.ChoiceField(label="Clips")
    strategy = forms.ChoiceField(label="Prompting")
    split = forms.ChoiceField(label="Split")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        choices = header_choices()
        for name in self.fields:
            self.fields[name].choices = choices[name]  # type: ignore[attr-defined]
        for pack, _words in choices["pack"][:1]:  # preselected, and so are the first choices of its benchmark
            benchmark = BENCHMARKS[pack.partition("/")[0]]
            self.initial = {"strategy": benchmark.strategies[0].name, "split": benchmark.splits[0], **self.initial}

    @property
    def packs(self) -> list[tuple[str, str, str]]:
        """Benchmark, name and title of each pack, for links beside the form."""
        choices = self.fields["pack"].choices  # type: ignore[attr-defined]
        return [(*value.split("/", 1), words) for value, words in choices]

    @property
    def header(self) -> dict[str, str]:
        """The header of the empty file."""
        benchmark, _slash, pack = self.cleaned_data["pack"].partition("/")
        strategy = self.cleaned_data["strategy"]
        names = {each.name: each for each in BENCHMARKS[benchmark].strategies}
        condition = names[strategy].condition if strategy in names else "video"
        return {
            "benchmark": benchmark,
            "pack": pack,
            "model": "name-of-the-model",
            "strategy": strategy,
            "condition": condition,
            "split": self.cleaned_data["split"],
        }


def header_choices() -> dict[str, list[tuple[str, Any]]]:
    """The choices (value, label) of each header field; strategies, splits and parsers are grouped by benchmark."""
    named = {name for benchmark in BENCHMARKS.values() for name in benchmark.conditions}
    packs = Pack.objects.on_boards().filter(benchmark__in=BENCHMARKS).order_by("benchmark", "created_at")
    return {
        "pack": [(str(pack), pack.full_title) for pack in packs],
        "strategy": [
            (
                benchmark.title,
                [(strategy.name, f"{strategy.title} ({strategy.name})") for strategy in benchmark.strategies],
            )
            for benchmark in BENCHMARKS.values()
        ],
        "condition": [(name, f"{words} ({name})") for name, words in CONDITIONS.items() if name in named],
        "split": [(benchmark.title, [(name, name) for name in benchmark.splits]) for benchmark in BENCHMARKS.values()],
        "parser": [
            (benchmark.title, [(name, f"{PARSERS[name].title} ({name})") for name in benchmark.parsers])
            for benchmark in BENCHMARKS.values()
        ],
    }


# A link with another scheme could run a script.
ON_THE_WEB = URLValidator(schemes=("http", "https"), message="Give a web address.")


class CardForm(forms.Form):
    """The fields of the card; all are optional, but staff may decline an empty card."""

    organisation = forms.CharField(label="Organisation", required=False, max_length=120)
    link = forms.URLField(
        label="Link to paper or code", required=False, max_length=300, assume_scheme="https", validators=[ON_THE_WEB]
    )
    parameters = forms.CharField(
        label="Parameters", required=False, max_length=40, help_text="For example 7 B, or 0.5 B of 3 B trained."
    )
    weights = forms.ChoiceField(
        label="Weights", required=False, choices=[("", "not said"), ("open", "open"), ("closed", "closed")]
    )
    released = forms.DateField(
        label="Released", required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    trained_on = forms.CharField(
        label="Trained on", required=False, max_length=600, widget=forms.Textarea(attrs={"rows": 3})
    )
    contamination = forms.CharField(
        label="Could it have seen these clips or questions before?",
        required=False,
        max_length=600,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Say what you know: clips, questions or generators that were used in training, or that none were.",
    )

    def clean(self) -> dict[str, Any]:
        """Refuse control characters in texts."""
        cleaned: dict[str, Any] = super().clean() or {}
        for name, value in list(cleaned.items()):  # `add_error` removes the field
            if isinstance(value, str) and not value.replace("\n", "").replace("\r", "").isprintable():
                self.add_error(name, "This holds characters that can't be shown.")
        return cleaned

    @property
    def card(self) -> dict[str, str]:
        """The filled-in fields, as stored in Model.card."""
        return {name: str(value) for name, value in self.cleaned_data.items() if value}


@transaction.atomic
def write_card(*, model: Model, card: dict[str, str]) -> Model:
    """Replace the form's fields in the model's card, and keep its other entries."""
    fresh = Model.objects.select_for_update().get(pk=model.pk)
    others = {name: value for name, value in fresh.card.items() if name not in CardForm.base_fields}
    fresh.card = others | card
    fresh.save(update_fields=["card"])
    return fresh
