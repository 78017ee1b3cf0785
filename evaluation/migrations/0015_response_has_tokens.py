"""A response may say how many tokens were read and written for it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0014_run_code_ceiling")]
    operations = [
        migrations.AddField(
            model_name="modelresponse", name=name, field=models.PositiveIntegerField(blank=True, null=True)
        )
        for name in ("tokens_in", "tokens_out")
    ]
