"""A response may have a margin: the log-odds of its item's first option."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0011_thoughts")]
    operations = [
        migrations.AddField(
            model_name="modelresponse", name="margin", field=models.FloatField(blank=True, null=True)
        )
    ]
