"""Intervals of clips with several questions and of few people have other ends: they are computed again."""

from django.db import migrations


def drop_standings(apps, schema_editor):
    apps.get_model("leaderboard", "Standing").objects.all().delete()  # its differences go with it


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0015_people_by_their_swing")]
    operations = [migrations.RunPython(drop_standings, migrations.RunPython.noop)]
