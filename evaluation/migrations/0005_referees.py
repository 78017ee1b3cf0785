import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('benchmarks', '0001_first_tables'),
        ('evaluation', '0004_count_ended_shards'),
    ]

    operations = [
        migrations.CreateModel(
            name='Briefing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('facts', models.JSONField()),
            ],
        ),
        migrations.AddField(
            model_name='run',
            name='judged',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='refereeings', to='evaluation.run'),
        ),
        migrations.AddField(
            model_name='run',
            name='rubric',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AlterField(
            model_name='run',
            name='kind',
            field=models.CharField(choices=[('run', 'Run'), ('uploaded', 'Uploaded'), ('referee', 'Referee')], default='run', max_length=12),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('judged__isnull', False), ('kind', 'referee')), models.Q(models.Q(('kind', 'referee'), _negated=True), ('judged__isnull', True)), _connector='OR'), name='a_referee_judges_a_run'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(fields=('judged', 'model'), name='one_refereeing_a_referee'),
        ),
        migrations.AddField(
            model_name='briefing',
            name='item',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='briefing', to='benchmarks.item'),
        ),
    ]
