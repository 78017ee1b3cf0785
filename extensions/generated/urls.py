"""URLs of this extension."""

from django.urls import path

from extensions.generated.pages import views

urlpatterns = [
    path("leaderboard/generated/", views.boards, name="generated-boards"),
    path("leaderboard/generated/<slug:slug>/", views.board, name="generated-board"),
    path("leaderboard/generated/<slug:slug>/pairs/", views.pairs, name="generated-pairs"),
    path("leaderboard/generated/<slug:slug>/judges/<slug:judge>/", views.judge, name="judge-audit"),
]
