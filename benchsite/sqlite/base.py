"""SQLite that refuses what PostgreSQL refuses, so that the embedded database keeps the same promises.

SQLite by itself stores 400 letters in a `varchar(20)`, 70,000 in a `smallint`, and a NUL in any text.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from django.db.backends.sqlite3.base import DatabaseWrapper as DjangoWrapper
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.backends.sqlite3.operations import DatabaseOperations
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property

from benchsite.sqlite.jsonb import as_jsonb

RANGES = DatabaseOperations.integer_field_ranges
NO_NUL = 'instr("%(column)s", char(0)) = 0'  # where `length` would stop counting
SHORT = f'length("%(column)s") <= %(max_length)s AND {NO_NUL}'
# A check without a name is called by its text, here with a column in quotes (without them if the text begins so).
OF_A_TYPE = re.compile(r'CHECK constraint failed: .*"')


class ErrorsOfTypes(DatabaseErrorWrapper):
    """Raises `DataError` for a value that its column's type can't hold, as PostgreSQL does."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None and _is_of_a_type(error):
            kind, error = sqlite3.DataError, sqlite3.DataError(*error.args)
        super().__exit__(kind, error, traceback)


def _is_of_a_type(error: BaseException) -> bool:
    if isinstance(error, OverflowError):  # a number of more than 64 bits
        return True
    return isinstance(error, sqlite3.IntegrityError) and OF_A_TYPE.match(str(error)) is not None


class StrictCursor(SQLiteCursorWrapper):
    """Refuses a NUL in the values of a query, too, which PostgreSQL can't even compare."""

    def execute(self, query: str, params: Any = None) -> Any:
        if params:
            _refuse_nul(params)
        return super().execute(query, params)


def _refuse_nul(params: Mapping[str, Any] | Sequence[Any]) -> None:
    for value in params.values() if isinstance(params, Mapping) else params:
        if isinstance(value, str) and "\0" in value:
            raise sqlite3.DataError("a text can't hold a NUL (0x00)")


class StrictOperations(DatabaseOperations):
    def adapt_json_value(self, value: Any, encoder: Any) -> str:
        return as_jsonb(value, encoder)

    def integer_field_range(self, internal_type: str) -> tuple[int, int]:
        """The range that forms and queries check; Django's backend gives 64 bits to every number."""
        return RANGES[internal_type]


class DatabaseWrapper(DjangoWrapper):
    ops_class = StrictOperations
    data_type_check_constraints = {
        **DjangoWrapper.data_type_check_constraints,
        **dict.fromkeys(("CharField", "SlugField", "FileField", "FilePathField", "GenericIPAddressField"), SHORT),
        "TextField": NO_NUL,
        **{
            kind: f'("%(column)s" BETWEEN {least} AND {most})'
            for kind, (least, most) in RANGES.items()
            if "Big" not in kind and "Auto" not in kind
        },
    }

    @cached_property
    def wrap_database_errors(self) -> ErrorsOfTypes:
        return ErrorsOfTypes(self)

    def create_cursor(self, name: str | None = None) -> StrictCursor:
        return self.connection.cursor(factory=StrictCursor)
