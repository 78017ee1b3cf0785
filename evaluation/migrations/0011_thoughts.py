"""What a model thought has a column of its own beside what it answered."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0010_cards_tell_no_answers")]
    operations = [
        migrations.AddField(
            model_name="modelresponse",
            name="thoughts",
            field=models.TextField(blank=True, db_default="", default=""),
        )
    ]
