"""Cells have new figures (d', criterion, the design effect of people): the clock computes all standings again."""

from django.db import migrations


def drop_standings(apps, schema_editor):
    apps.get_model("leaderboard", "Standing").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_first_tables")]
    operations = [migrations.RunPython(drop_standings, migrations.RunPython.noop)]
