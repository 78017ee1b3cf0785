"""Every item gets a random id. The old one, which anybody can compute, stays a name of those that are public now."""

from django.db import migrations, transaction
from django.db.models import Q

from benchmarks.models.public_ids import new_public_id

BATCH = 500
WRITE = "UPDATE benchmarks_item SET random_id = %s, keeps_old_id = %s WHERE id = %s"


def give_ids(apps, schema_editor):
    connection, last = schema_editor.connection, 0
    items = apps.get_model("benchmarks", "Item").objects.using(connection.alias).order_by("pk")
    is_withheld = Q(expected=None) & ~Q(answer_kind="free")
    while batch := list(items.filter(pk__gt=last, public_id=None).values_list("pk", flat=True)[:BATCH]):
        public = items.filter(pk__in=batch, seals=None).exclude(is_withheld)
        known = set(public.order_by().values_list("pk", flat=True))
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.executemany(WRITE, [(new_public_id(), pk in known, pk) for pk in batch])
        last = batch[-1]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("benchmarks", "0009_public_ids_beside_draw_keys")]
    operations = [migrations.RunPython(give_ids, migrations.RunPython.noop)]
