"""Numbers in forms are typed as people write them."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from django import forms

from benchmarks.number_fields import TypedDecimal, TypedFloat, TypedInteger
from tests.test_architecture import APPS, ROOT


class Form(forms.Form):
    places = TypedInteger(min_value=1)
    share = TypedFloat(max_value=99)
    pay = TypedDecimal(decimal_places=2, max_digits=8)


@pytest.mark.parametrize(
    ("places", "share", "pay"),
    [("12", "2.5", "1.50"), ("12", "2,5", "1,50"), (" ١٢ ", "٢٫٥", "١٫٥٠"), ("１２", "2，5", "1．5")],
)
def test_a_number_is_read_in_every_script_with_a_point_or_a_comma(places, share, pay):
    form = Form({"places": places, "share": share, "pay": pay})
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {"places": 12, "share": 2.5, "pay": Decimal("1.5")}


@pytest.mark.parametrize("typed", ["1,234", "1.234,5", "many", "1 2", ""])
def test_what_could_be_two_numbers_or_none_is_refused_at_its_field(typed):
    form = Form({"places": "0", "share": "100", "pay": typed})
    assert form.errors.keys() == {"places", "share", "pay"}  # limits hold, too


def test_no_page_has_a_browsers_own_field_for_numbers():
    assert 'type="number"' not in str(Form())
    assert str(Form()).count('inputmode="decimal"') == 3
    files = [path for app in (*APPS, "accounts", "templates") for path in (ROOT / app).rglob("*.*")]
    own = re.compile(r"forms\.(Integer|Float|Decimal)Field\(|NumberInput|type=.number")
    found = [path for path in files if path.suffix in (".py", ".html") and own.search(Path(path).read_text())]
    assert found == []
