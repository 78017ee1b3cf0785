"""What was the public id stays in its column and becomes the draw key; the public id gets a column of its own.

So a program of the version before goes on drawing, and naming items, as it did.
"""

from django.db import migrations, models

from benchmarks.models.public_ids import RandomId, new_public_id


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0008_drafts_have_a_name")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions("item", {}),
                migrations.RenameField("item", "public_id", "draw_key"),
                migrations.AlterField(
                    "item",
                    "draw_key",
                    models.CharField(
                        max_length=12, unique=True, default=new_public_id, editable=False, db_column="public_id"
                    ),
                ),
            ]
        ),
        # Without a default at first: else every row would be written now, all with the same one.
        migrations.AddField(
            "item",
            "public_id",
            models.CharField(max_length=12, null=True, editable=False, db_column="random_id"),
        ),
        migrations.AlterField(
            "item",
            "public_id",
            models.CharField(
                max_length=12,
                null=True,
                default=new_public_id,
                db_default=RandomId(),
                editable=False,
                db_column="random_id",
            ),
        ),
        migrations.AddField(
            "item", "keeps_old_id", models.BooleanField(default=False, db_default=False, editable=False)
        ),
        migrations.AlterModelOptions("item", {"ordering": ["public_id"]}),
    ]
