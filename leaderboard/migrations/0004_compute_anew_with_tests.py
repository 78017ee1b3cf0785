"""Cells have new figures (the test against guessing, repeated examples): the clock computes all standings again."""

from django.db import migrations


def drop_standings(apps, schema_editor):
    apps.get_model("leaderboard", "Standing").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_rows_of_people_by_condition")]
    operations = [migrations.RunPython(drop_standings, migrations.RunPython.noop)]
