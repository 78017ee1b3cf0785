"""Forms of the material pages: a new material, files, and decisions."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from benchmarks.number_fields import TypedFloat, TypedInteger
from benchmarks.policy import LIMITS
from extensions.annotation.material.review import REASONS
from extensions.annotation.material.uploads import SUFFIXES
from extensions.annotation.models.material import SHORTEST_ALLOWED

AT_ONCE = 50  # files per upload


class NewMaterialForm(forms.Form):
    """A new material."""

    title = forms.CharField(label="Title", max_length=120)
    slug = forms.SlugField(
        label="Name", max_length=60, help_text="in addresses and as the pack's name: small letters, digits and hyphens"
    )
    seed = TypedInteger(label="Seed", min_value=0, max_value=2**31 - 1, initial=0, help_text="of all draws")
    shortest = TypedFloat(
        label="Shortest clip, in seconds",
        validators=SHORTEST_ALLOWED,
        initial=4,
        required=False,
        help_text="PACS took 4. Clips of “Tapped” last 3.",
    )

    def clean_shortest(self) -> float:
        return self.cleaned_data["shortest"] or 4.0


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One or more files, each validated separately."""

    widget = SeveralFiles(attrs={"accept": ",".join((*SUFFIXES, "video/*")), "multiple": True})

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files: Sequence[Any] = data if isinstance(data, list | tuple) and data else [data or None]
        if len(files) > AT_ONCE:
            raise ValidationError(f"{len(files)} files at once: send at most {AT_ONCE}")
        return [self._one(file, initial) for file in files]

    def _one(self, file: Any, initial: Any) -> UploadedFile:
        found: UploadedFile = super().clean(file, initial)
        if found.size and found.size > LIMITS["material"].most:
            raise ValidationError(f"{found.name}: larger than {LIMITS['material'].words}")
        return found


class UploadForm(forms.Form):
    """Videos for a material."""

    videos = FilesField(label="Videos")


class DecisionForm(forms.Form):
    """Keep, drop or undo; dropping needs a reason, from the list or as free text."""

    act = forms.ChoiceField(choices=[(name, name) for name in ("keep", "drop", "undo")])
    reason = forms.ChoiceField(choices=[("", ""), *REASONS.items()], required=False)
    words = forms.CharField(max_length=200, required=False)

    @property
    def why(self) -> str:
        reasons = (REASONS.get(self.cleaned_data["reason"], ""), self.cleaned_data["words"].strip())
        return ": ".join(filter(None, reasons))[:200]
