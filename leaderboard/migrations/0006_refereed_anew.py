"""Rows of runs that a referee scored hold each dimension apart: those of before lack them and are computed again."""

from django.db import migrations


def drop_refereed(apps, schema_editor):
    standings = apps.get_model("leaderboard", "Standing").objects.exclude(run=None).exclude(run__referee="")
    lacking = [row.pk for row in standings.iterator() if "dimensions" not in row.overall]
    standings.filter(pk__in=lacking).delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0005_standings_by_time")]
    operations = [migrations.RunPython(drop_refereed, migrations.RunPython.noop)]
