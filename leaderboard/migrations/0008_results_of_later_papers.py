"""Results of later papers, each confirmed by a second reader before it is shown."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0007_round_hidden_scores"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PublishedResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("benchmark", models.SlugField(max_length=40)),
                ("level", models.CharField(max_length=10)),
                ("strategy", models.CharField(blank=True, max_length=40)),
                ("condition", models.CharField(blank=True, max_length=20)),
                ("split", models.CharField(blank=True, max_length=20)),
                ("row", models.CharField(max_length=120)),
                ("cell", models.CharField(default="overall", max_length=60)),
                ("figure", models.CharField(max_length=20)),
                ("source", models.CharField(max_length=300)),
                ("link", models.URLField(blank=True, max_length=300)),
                ("date", models.CharField(blank=True, max_length=10)),
                ("checked_by", models.CharField(blank=True, editable=False, max_length=120)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "entered_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("benchmark", "level", "strategy", "condition", "split", "row", "cell", "source"),
                        name="one_figure_a_place_and_source",
                    )
                ]
            },
        )
    ]
