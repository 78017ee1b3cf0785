"""The model card that a sender fills in; the model's page shows it, and staff read it before they decide."""

from typing import Any

from django import forms
from django.db import transaction

from evaluation.models import Model

WEB = ("http", "https")  # a link with another scheme could run a script


class CardForm(forms.Form):
    """The fields of the card; all are optional, but staff may decline an empty card."""

    organisation = forms.CharField(label="Organisation", required=False, max_length=120)
    link = forms.URLField(label="Link to paper or code", required=False, max_length=300, assume_scheme="https")
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

    def clean_link(self) -> str:
        link: str = self.cleaned_data["link"]
        if link and link.partition("://")[0].lower() not in WEB:
            raise forms.ValidationError("Give a web address.")
        return link

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
