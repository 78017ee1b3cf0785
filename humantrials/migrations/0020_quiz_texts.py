from django.db import migrations, models

PARTS = [
    ("aims", "Aims"),
    ("information", "Information"),
    ("consent", "Consent"),
    ("before", "Before"),
    ("instructions", "Instructions"),
    ("quiz", "Quiz"),
    ("after", "After"),
    ("debrief", "Debrief"),
]


class Migration(migrations.Migration):
    dependencies = [("humantrials", "0019_follow_ups")]

    operations = [
        migrations.AlterField(
            model_name=name, name="part", field=models.CharField(choices=PARTS, max_length=12)
        )
        for name in ("authoredtext", "questionnaireanswer")
    ]
