"""A tie of people counts half and cells tell how many votes items have: rows of people are computed again."""

from django.db import migrations


def drop_standings_of_people(apps, schema_editor):
    apps.get_model("leaderboard", "Standing").objects.filter(kind__in=("human", "simulated")).delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0008_results_of_later_papers")]
    operations = [migrations.RunPython(drop_standings_of_people, migrations.RunPython.noop)]
