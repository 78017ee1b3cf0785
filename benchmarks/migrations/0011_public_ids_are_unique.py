"""No two items have one public id; the index is built beside running programs.

The column stays nullable in the database until the next version (decision 0007), which nothing makes use of: programs
that don't know it leave it to its default.
"""

from django.db import migrations, models

from benchmarks.models.public_ids import RandomId, new_public_id

NAME = "one_item_a_public_id"


def add(apps, schema_editor):
    beside = "CONCURRENTLY" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP INDEX {beside} IF EXISTS {NAME}")  # of a try that was broken off
    schema_editor.execute(f"CREATE UNIQUE INDEX {beside} {NAME} ON benchmarks_item (random_id)")


def remove(apps, schema_editor):
    schema_editor.execute(f"DROP INDEX IF EXISTS {NAME}")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("benchmarks", "0010_every_item_gets_a_public_id")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(add, remove)],
            state_operations=[
                migrations.AlterField(
                    "item",
                    "public_id",
                    models.CharField(
                        max_length=12,
                        default=new_public_id,
                        db_default=RandomId(),
                        editable=False,
                        db_column="random_id",
                    ),
                ),
                migrations.AddConstraint("item", models.UniqueConstraint("public_id", name=NAME)),
            ],
        )
    ]
