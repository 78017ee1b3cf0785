import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("humantrials", "0018_authored_texts")]

    operations = [
        migrations.CreateModel(
            name="FollowUp",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                ("confidence", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("why", models.TextField(blank=True, null=True)),
                ("seconds", models.FloatField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "participant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follow_ups",
                        to="humantrials.participant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("participant", "position"), name="one_follow_up_an_answer")
                ]
            },
        ),
    ]
