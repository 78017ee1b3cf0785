"""Both databases refuse the same values with the same errors, whichever of them the tests run on."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, connection, models, transaction
from django.utils import timezone

from evaluation.models import Model, Run
from tests.factories import make_model

pytestmark = pytest.mark.django_db
TEXTS = ("CharField", "SlugField", "FileField", "FilePathField", "TextField")
NUMBERS = {
    "SmallIntegerField": (-(2**15) - 1, 2**15),
    "PositiveSmallIntegerField": (2**15,),
    "IntegerField": (-(2**31) - 1, 2**31),
    "PositiveIntegerField": (2**31,),
    "BigIntegerField": (-(2**63) - 1, 2**63),
    "PositiveBigIntegerField": (2**63,),
}
EMPTY = {
    "BooleanField": False,
    "DateTimeField": timezone.now(),
    "DateField": timezone.now().date(),
    "DecimalField": 0,
    "JSONField": "{}",
    "BinaryField": b"",
    "GenericIPAddressField": "::1",
    "UUIDField": UUID(int=0).hex,
} | dict.fromkeys(TEXTS, "")


def columns(*kinds: str) -> Iterator[models.Field]:
    """All columns of these kinds, those of other packages and of tables between two models included."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            yield from (field for field in model._meta.local_concrete_fields if field.get_internal_type() in kinds)


def row_with(field: models.Field, value: Any) -> dict[str, Any]:
    """A row that is empty but for this value, by column; its references lead nowhere, which is checked later."""
    others = {
        str(other.column): EMPTY.get(other.get_internal_type(), 0)
        for other in field.model._meta.local_concrete_fields
        if not isinstance(other, models.AutoField)
    }
    return others | {str(field.column): value}


def insertion(model: type[models.Model], row: dict[str, Any], place: str = "%s") -> str:
    quote = connection.ops.quote_name
    names, places = ", ".join(map(quote, row)), ", ".join([place] * len(row))
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})"


def is_refused(field: models.Field, value: object, error: type[Exception]) -> bool:
    """Whether a row with this value is refused by this error."""
    row = row_with(field, value)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(insertion(field.model, row), [*row.values()])
            transaction.set_rollback(True)
    except error:
        return True
    except IntegrityError:  # a rule of the table, which is asked after the columns' types
        return False
    return False


def taken(values: Iterator[tuple[models.Field, object]], error: type[Exception] = DataError) -> list[str]:
    return [f"{field}: {value!r:.20}" for field, value in values if not is_refused(field, value, error)]


def test_a_column_takes_as_many_letters_as_it_has_room_for_and_no_more():
    short = [field for field in columns(*TEXTS) if field.max_length and field.get_internal_type() != "TextField"]
    assert len(short) > 150
    assert taken((field, "x" * (field.max_length + 1)) for field in short) == []
    (field,) = (field for field in columns("CharField") if str(field) == "evaluation.Model.name")
    assert not is_refused(field, "\N{FACE WITH TEARS OF JOY}" * field.max_length, DataError)


def test_no_column_and_no_query_takes_a_nul_or_half_a_letter():
    assert taken((field, "a\0b") for field in columns(*TEXTS)) == []
    assert taken(((field, "a\ud800") for field in columns(*TEXTS)), UnicodeEncodeError) == []
    with pytest.raises(DataError), transaction.atomic():
        Model.objects.filter(name="a\0b").exists()


def test_no_column_or_form_takes_a_number_beyond_its_range():
    beyond = [(field, value) for field in columns(*NUMBERS) for value in NUMBERS[field.get_internal_type()]]
    assert len(beyond) > 50
    assert taken(iter(beyond)) == []
    with pytest.raises(ValidationError):
        Run(priority=2**15).clean_fields(exclude={field.name for field in Run._meta.fields} - {"priority"})


def test_keys_come_back_in_the_order_of_jsonb():
    """Shorter ones first, then by their bytes; of two that are written alike the last stays."""
    card = {
        "ccc": [{"zz": 1, "é": 2, "y": 3}],
        "b": 1,
        "B": 2,
        "\N{GRINNING FACE}": 0,
        12: "first",
        "12": "last",
        "aa": 4,
    }
    stored = Model.objects.get(pk=make_model(card=card).pk).card
    assert list(stored) == ["B", "b", "12", "aa", "ccc", "\N{GRINNING FACE}"]
    assert list(stored["ccc"][0]) == ["y", "zz", "é"]
    assert stored["12"] == "last"


def test_json_is_found_whatever_the_order_of_its_keys():
    make_model(card={"paper": "é", "link": {"b": 1, "a": 2}})
    assert Model.objects.filter(card={"link": {"a": 2, "b": 1}, "paper": "é"}).exists()
    assert Model.objects.filter(card__link={"a": 2, "b": 1}, card__paper="é").exists()


@pytest.mark.parametrize(
    "value", ["a\0b", "\\\0", "a\ud800", "\udc00", {"a\0": 1}, [float("nan")], float("inf")], ids=ascii
)
def test_no_json_holds_what_jsonb_can_not(value):
    with pytest.raises(DataError), transaction.atomic():
        make_model(card={"notes": value})


@pytest.mark.parametrize("value", ["\\u0000", "\\ud800", "\\\\u0000", "\N{GRINNING FACE}", "\x01"], ids=ascii)
def test_json_holds_what_only_looks_like_it(value):
    assert Model.objects.get(pk=make_model(card={"notes": value}).pk).card == {"notes": value}


@pytest.mark.parametrize(
    ("name", "value"), [("name", "a\0b"), *(("card", text) for text in ("[1, NaN]", "nothing", '"a'))]
)
def test_what_is_written_past_the_cursor_is_held_to_the_same_rules(name, value):
    """By the driver's own cursor, with JSON as text."""
    row = row_with(Model._meta.get_field(name), value)
    statement = insertion(Model, row, "?" if connection.vendor == "sqlite" else "%s")
    with pytest.raises(DataError), transaction.atomic(), connection.cursor() as cursor, connection.wrap_database_errors:
        cursor.connection.cursor().execute(statement, tuple(row.values()))
