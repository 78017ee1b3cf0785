"""Intervals of few clips have another end, and those of error consistency are narrower: they are computed again."""

from django.db import migrations


def drop_standings(apps, schema_editor):
    apps.get_model("leaderboard", "Standing").objects.all().delete()  # its differences go with it


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0017_people_further_from_what_they_scored")]
    operations = [migrations.RunPython(drop_standings, migrations.RunPython.noop)]
