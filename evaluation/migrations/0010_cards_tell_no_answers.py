"""Stored lint reports lose facets that tell answers, and results of packs with hidden answers are computed anew."""

from django.db import migrations
from django.db.models import Exists, OuterRef, Q

TELLING = ("polarity", "change", "answer", "expected")  # facets of any benchmark at the time of this migration
BATCH = 500


def strip_coverage(apps, schema_editor):
    Run = apps.get_model("evaluation", "Run")
    runs = Run.objects.filter(kind="uploaded").only("card").order_by("pk")
    changed = []
    for run in runs.iterator(chunk_size=BATCH):
        report = run.card.get("lint", {})
        kept = [row for row in report.get("coverage", ()) if row[0] not in TELLING]
        if len(kept) < len(report.get("coverage", ())):
            run.card = {**run.card, "lint": {**report, "coverage": kept}}
            changed.append(run)
        if len(changed) == BATCH:
            Run.objects.bulk_update(changed, ["card"])
            changed = []
    Run.objects.bulk_update(changed, ["card"])


def forget_results(apps, schema_editor):
    Item, ItemSeal = apps.get_model("benchmarks", "Item"), apps.get_model("benchmarks", "ItemSeal")
    sealed = Exists(ItemSeal.objects.filter(item=OuterRef("pk")))
    hidden = Item.objects.filter(Q(sealed) | Q(expected=None, answer_kind__in=("yes-no", "label")))
    packs = list(hidden.order_by().values_list("pack_id", flat=True).distinct())
    apps.get_model("evaluation", "Run").objects.filter(pack__in=packs).update(results={}, results_version=None)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0009_hidden_listings"), ("benchmarks", "0008_drafts_have_a_name")]
    operations = [
        migrations.RunPython(strip_coverage, migrations.RunPython.noop),
        migrations.RunPython(forget_results, migrations.RunPython.noop),
    ]
