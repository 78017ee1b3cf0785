from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0001_first_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='busy_since',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='code',
            field=models.CharField(blank=True, choices=[('model-unusable', 'Model Unusable'), ('model-busy', 'Model Busy'), ('disk-full', 'Disk Full'), ('out-of-memory', 'Out Of Memory'), ('unanswered', 'Unanswered'), ('unscored', 'Unscored')], max_length=20),
        ),
        migrations.AddField(
            model_name='run',
            name='priority',
            field=models.SmallIntegerField(choices=[(-1, 'Low'), (0, 'Normal'), (1, 'High')], default=0),
        ),
        migrations.AddField(
            model_name='run',
            name='rest_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='served_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
