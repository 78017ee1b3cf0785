"""Differences from few people reach further where people would be nearer to one half: they are computed again."""

from django.db import migrations


def drop_standings_of_people(apps, schema_editor):
    standings = apps.get_model("leaderboard", "Standing").objects
    standings.filter(kind__in=("human", "simulated")).delete()  # their differences go with them


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0016_ends_that_can_not_err")]
    operations = [migrations.RunPython(drop_standings_of_people, migrations.RunPython.noop)]
