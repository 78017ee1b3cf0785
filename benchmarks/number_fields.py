"""Number fields of forms: a text is typed, in the digits of any script, with a decimal point or comma.

A browser's own field for numbers drops the comma of a language that is not the page's: 1,50 arrives as 150.
"""

from typing import Any

from django import forms

from measures.scores.number_answers import typed_number


class TypedInteger(forms.IntegerField):
    """A whole number, and what the fields below read alike."""

    widget = forms.TextInput

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal"}

    def to_python(self, value: Any) -> Any:
        return super().to_python(typed_number(value) or value if isinstance(value, str) else value)


class TypedFloat(TypedInteger, forms.FloatField):
    """A number."""


class TypedDecimal(TypedInteger, forms.DecimalField):
    """A number with so many decimal places, such as an amount of money."""
