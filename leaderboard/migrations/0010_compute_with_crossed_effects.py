"""Intervals count dyads, unequal clusters and people: every row and every difference is computed again."""

from django.db import migrations


def drop_standings(apps, schema_editor):
    apps.get_model("leaderboard", "Standing").objects.all().delete()  # its differences go with it


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0009_ties_count_half")]
    operations = [migrations.RunPython(drop_standings, migrations.RunPython.noop)]
