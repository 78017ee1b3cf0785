"""New studies draw from a seed that nobody can guess; those from before have no salt and stay as they are."""

from django.db import migrations, models

from humantrials.models.trials import new_salt


class Migration(migrations.Migration):
    dependencies = [("humantrials", "0011_pilots_of_stages")]
    operations = [
        migrations.AddField(
            "trial",
            "salt",
            models.CharField(max_length=32, blank=True, default=new_salt, db_default="", editable=False),
        ),
    ]
