"""Addresses of the API. Each answer has a hash; a caller that sends it back gets 304 while nothing changed."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import conditional_page
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView

from leaderboard.api import boards, lists


def docs(request: HttpRequest) -> HttpResponse:
    """What the API offers, drawn from its own schema."""
    schema = SchemaGenerator().get_schema(public=True)
    calls = [
        {"method": method.upper(), "path": address, **call}
        for address, methods in schema["paths"].items()
        for method, call in methods.items()
    ]
    return render(request, "leaderboard/api_docs.html", {"section": "api", "calls": calls})


def kept(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view with an ETag, and 304 where the caller has it already."""
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
    path("trials/<slug:slug>/votes/", kept(lists.Votes.as_view()), name="api-votes"),
    path("snapshots/", kept(lists.Snapshots.as_view()), name="api-snapshots"),
    path("snapshots/<slug:slug>/", kept(lists.OneSnapshot.as_view()), name="api-snapshot"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", docs, name="api-docs"),
]
