from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("humantrials", "0021_second_round")]

    operations = [
        migrations.AddField(
            model_name="trial",
            name="has_own_practice",
            field=models.BooleanField(default=False, db_default=False),
        )
    ]
