"""Standings and snapshots in the administration: computed, never edited."""

from django.contrib import admin

from benchmarks.admin import ImmutableAdmin
from leaderboard.models import Snapshot, Standing


@admin.register(Standing)
class StandingAdmin(ImmutableAdmin):
    list_display = ("name", "kind", "pack", "split", "strategy", "condition", "computed_at")
    list_filter = ("kind", "pack", "split", "strategy", "condition")
    list_select_related = ("pack",)
    search_fields = ("name",)


@admin.register(Snapshot)
class SnapshotAdmin(ImmutableAdmin):
    list_display = ("slug", "benchmark", "sha256", "created_at")
    list_filter = ("benchmark",)
    search_fields = ("slug", "sha256")
