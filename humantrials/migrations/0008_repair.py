from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humantrials', '0007_newcomers'),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='repair_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
