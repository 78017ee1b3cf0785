from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0014_benchmarks_may_be_files")]

    operations = [
        migrations.AlterField(
            model_name="item",
            name="answer_kind",
            field=models.CharField(
                choices=[
                    ("yes-no", "Yes No"),
                    ("label", "Label"),
                    ("free", "Free"),
                    ("number", "Number"),
                    ("moment", "Moment"),
                ],
                max_length=12,
            ),
        ),
    ]
