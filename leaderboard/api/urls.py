"""URLs of the API. Each response has an ETag, and a caller that sends it back gets 304 while nothing changed."""

from collections.abc import Callable
from typing import Any

from django.urls import path
from django.views.decorators.http import conditional_page

from leaderboard.api import boards, lists
from leaderboard.api.schema_views import Schema, docs


def kept(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view with an ETag, answering 304 if the caller has that version."""
    return conditional_page(view)


urlpatterns = [
    path("boards/", kept(boards.boards), name="api-boards"),
    path("boards/<slug:slug>/", kept(boards.board), name="api-board"),
    path("benchmarks/", kept(boards.benchmarks), name="api-benchmarks"),
    path("benchmarks/<slug:slug>/", kept(boards.benchmark), name="api-benchmark"),
    path("packs/", kept(lists.Packs.as_view()), name="api-packs"),
    path("packs/<slug:slug>/<slug:name>/", kept(lists.OnePack.as_view()), name="api-pack"),
    path("items/", kept(lists.Items.as_view()), name="api-items"),
    path("items/<slug:public_id>/", kept(lists.OneItem.as_view()), name="api-item"),
    path("models/", kept(lists.Models.as_view()), name="api-models"),
    path("models/<slug:slug>/", kept(lists.OneModel.as_view()), name="api-model"),
    path("runs/", kept(lists.Runs.as_view()), name="api-runs"),
    path("runs/<int:pk>/", kept(lists.OneRun.as_view()), name="api-run"),
    path("runs/<int:pk>/responses/", kept(lists.Responses.as_view()), name="api-responses"),
    path("standings/", kept(lists.Standings.as_view()), name="api-standings"),
    path("compare/", kept(boards.compare), name="api-compare"),
    path("trials/", kept(lists.Trials.as_view()), name="api-trials"),
    path("trials/<slug:slug>/", kept(lists.OneTrial.as_view()), name="api-trial"),
    path("trials/<slug:slug>/votes/", kept(lists.VoteList.as_view()), name="api-votes"),
    path("snapshots/", kept(lists.Snapshots.as_view()), name="api-snapshots"),
    path("snapshots/<slug:slug>/", kept(lists.OneSnapshot.as_view()), name="api-snapshot"),
    path("schema/", kept(Schema.as_view()), name="api-schema"),
    path("docs/", docs, name="api-docs"),
]
