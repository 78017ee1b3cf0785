"""Many ids as a single query parameter."""

import json
from collections.abc import Iterable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Func, Value
from django.db.models.sql.compiler import SQLCompiler


class IdList(Func):
    """Right-hand side of `pk__in`: thousands of ids as separate parameters take longer than reading their rows."""

    template = "(SELECT value FROM json_each(%(expressions)s))"

    def __init__(self, ids: Iterable[int], **extra: Any) -> None:
        super().__init__(Value(json.dumps([*map(int, ids)])), output_field=BigIntegerField(), **extra)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        array = "(SELECT unnest(translate(%(expressions)s, '[]', '{}')::bigint[]))"
        return self.as_sql(compiler, connection, template=array)
