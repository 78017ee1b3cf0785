"""Rows of packs with hidden answers were exact: the clock computes them again, rounded."""

from django.db import migrations
from django.db.models import Exists, OuterRef, Q


def drop_standings(apps, schema_editor):
    Item, ItemSeal = apps.get_model("benchmarks", "Item"), apps.get_model("benchmarks", "ItemSeal")
    sealed = Exists(ItemSeal.objects.filter(item=OuterRef("pk")))
    hidden = Item.objects.filter(Q(sealed) | Q(expected=None, answer_kind__in=("yes-no", "label")))
    packs = list(hidden.order_by().values_list("pack_id", flat=True).distinct())
    apps.get_model("leaderboard", "Standing").objects.filter(pack__in=packs).delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0006_extremes_of_rows"), ("benchmarks", "0008_drafts_have_a_name")]
    operations = [migrations.RunPython(drop_standings, migrations.RunPython.noop)]
