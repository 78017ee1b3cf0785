"""SQLite that refuses what PostgreSQL refuses, so that the embedded database keeps the same promises.

SQLite by itself stores 400 letters in a `varchar(20)`, 70,000 in a `smallint`, and a NUL in any text.
"""

import json
import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from django.db.backends.sqlite3.base import DatabaseWrapper as DjangoWrapper
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.backends.sqlite3.operations import DatabaseOperations
from django.db.utils import DatabaseErrorWrapper, DataError, OperationalError
from django.utils.functional import cached_property

NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")  # after an even number of backslashes
RANGES = DatabaseOperations.integer_field_ranges
NO_NUL = 'instr("%(column)s", char(0)) = 0'  # where `length` would stop counting
SHORT = f'length("%(column)s") <= %(max_length)s AND {NO_NUL}'
# Who finds another writer asks again so often, with such pauses (in seconds), before SQLite waits in its own way.
TRIES, PAUSE = 100, 0.0003
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


def as_jsonb(value: Any, encoder: type[json.JSONEncoder] | None = None) -> str:
    """The value's JSON with its keys in the order of `jsonb`; DataError for what `jsonb` can't hold."""
    try:
        text = json.dumps(in_order(value), cls=encoder, ensure_ascii=False, allow_nan=False)
        text.isascii() or text.encode()
    except ValueError as error:  # a NaN, or a lone surrogate
        raise DataError(f"JSON can't hold it: {error}") from None
    if "\\u0000" in text and NUL.search(text):
        raise DataError("JSON can't hold a NUL")
    return text


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        texts = {key if isinstance(key, str) else json.dumps(key): of for key, of in value.items()}
        return {key: in_order(texts[key]) for key in sorted(texts, key=_place)}
    if isinstance(value, list | tuple):
        return [in_order(part) for part in value]
    return value


def _place(key: str) -> tuple[int, bytes]:
    letters = key.encode(errors="surrogatepass")
    return len(letters), letters


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

    def _start_transaction_under_autocommit(self) -> None:
        """Begin to write soon after another writer has ended; SQLite itself sleeps up to a tenth of a second at a time.

        With two web processes 1,199 instead of 1,052 people a minute go through a study with script.
        """
        begin = super()._start_transaction_under_autocommit  # type: ignore[misc]
        self._wait_for_writers(0)
        try:
            for _ in range(TRIES):
                with suppress(OperationalError):
                    begin()
                    return
                time.sleep(PAUSE)
        finally:
            self._wait_for_writers(self.settings_dict["OPTIONS"].get("timeout", 0))
        begin()

    def _wait_for_writers(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")

    def create_cursor(self, name: str | None = None) -> StrictCursor:
        return self.connection.cursor(factory=StrictCursor)
