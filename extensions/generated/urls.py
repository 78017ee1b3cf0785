"""URLs of this extension."""

from django.urls import path

from extensions.generated import api
from extensions.generated.pages import prompt, rounds, sets, views

SETS = "leaderboard/generated/sets/"
urlpatterns = [
    path("leaderboard/generated/", views.boards, name="generated-boards"),
    path(SETS, sets.sets, name="clip-sets"),
    path(f"{SETS}<slug:slug>/", sets.clip_set, name="clip-set"),
    path(f"{SETS}<slug:slug>/decision/", sets.decision, name="clip-set-decision"),
    path(f"{SETS}<slug:slug>/clips/<int:pk>/", sets.clip, name="generated-clip"),
    path("leaderboard/generated/rounds/", rounds.rounds, name="generated-rounds"),
    path("leaderboard/generated/<slug:slug>/", views.board, name="generated-board"),
    path("leaderboard/generated/<slug:slug>/pairs/", views.pairs, name="generated-pairs"),
    path("leaderboard/generated/<slug:slug>/prompts/<path:key>/", prompt.prompt, name="generated-prompt"),
    path("leaderboard/generated/<slug:slug>/judges/<slug:judge>/", views.judge, name="judge-audit"),
    path("api/v1/clipsets/", api.ClipSetsView.as_view(), name="api-clip-sets"),
    path("api/v1/clipsets/<slug:key>/", api.ClipSetView.as_view(), name="api-clip-set"),
]
