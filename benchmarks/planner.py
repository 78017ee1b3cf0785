"""What PostgreSQL plans by. After many rows at once its own upkeep looks a minute later, and where that is off, never:
until then a submission of a thousand rows to a new pack took seven times as long."""

from django.db import connection, models


def learn_sizes(*tables: type[models.Model]) -> None:
    """Have PostgreSQL count and sample these tables, or all; SQLite's plans hang on no such figures."""
    if connection.vendor != "postgresql":
        return
    names = ", ".join(connection.ops.quote_name(table._meta.db_table) for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {names}")
