"""Addresses of the analyses' pages."""

from django.urls import path

from leaderboard.analyses import pages
from leaderboard.analyses.registry import ANALYSES
from leaderboard.analyses.sound import pages as sound

urlpatterns = [
    path("leaderboard/<slug:slug>/sound/", sound.audio_effects_page, name="hearing"),
    path("leaderboard/<slug:slug>/sound/items/", sound.changed, name="hearing-items"),
    path("leaderboard/<slug:slug>/by/<str:what>/", sound.by_value, name="by-value"),
    *(path(f"leaderboard/<slug:slug>/{name}/", pages.analysis_page, {"name": name}, name=name) for name in ANALYSES),
]
