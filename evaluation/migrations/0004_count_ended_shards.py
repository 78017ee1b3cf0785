"""Shards that ended before they were counted are counted now; going back needs nothing."""

from collections import Counter, defaultdict

from django.db import migrations
from django.db.models import Count, F


def count_ended_shards(apps, schema_editor):
    Shard, Cell, Reading = (apps.get_model('evaluation', name) for name in ('Shard', 'Cell', 'Reading'))
    ended = Shard.objects.filter(state__in=('done', 'failed'))
    states, problems = defaultdict(Counter), defaultdict(dict)
    cells = Cell.objects.filter(shard__in=ended.values('pk')).order_by()
    for shard, state, number in cells.values_list('shard', 'state').annotate(Count('pk')):
        states[shard][state] = number
    cell = 'response__cell__'
    counting = Reading.objects.filter(**{
        cell + 'shard__in': ended.values('pk'), 'parser': F(cell + 'run__parser'), 'version': F(cell + 'run__parser_version'),
    }).exclude(problem='')
    for shard, problem, number in counting.order_by().values_list(cell + 'shard', 'problem').annotate(Count('pk')):
        problems[shard][problem] = number
    for shard, found in states.items():
        Shard.objects.filter(pk=shard).update(
            answered=found['answered'], failed=found['failed'], problems=problems[shard]
        )


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0003_kept_results'),
    ]

    operations = [
        migrations.RunPython(count_ended_shards, migrations.RunPython.noop),
    ]
