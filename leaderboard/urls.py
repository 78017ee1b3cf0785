"""Addresses of this app."""

from django.urls import URLPattern, URLResolver, include, path

from leaderboard import (
    chart_views,
    compare_views,
    figures,
    hearing_views,
    item_views,
    layout_views,
    referee_views,
    snapshot_views,
    views,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("leaderboard/", views.boards, name="boards"),
    path("leaderboard/<slug:slug>/", views.board, name="board"),
    path("leaderboard/<slug:slug>/items/", item_views.board_items, name="board-items"),
    path("leaderboard/<slug:slug>/referees/", referee_views.referees, name="referees"),
    path("leaderboard/<slug:slug>/temperatures/", referee_views.temperatures, name="temperatures"),
    path("leaderboard/<slug:slug>/sound/", hearing_views.hearing, name="hearing"),
    path("leaderboard/<slug:slug>/sound/items/", hearing_views.changed, name="hearing-items"),
    path("leaderboard/<slug:slug>/by/<str:what>/", hearing_views.by_value, name="by-value"),
    path("leaderboard/<slug:slug>/figure-3/", figures.figure_3, name="figure-3"),
    path("leaderboard/<slug:slug>/figure-3/frame/", figures.figure_3_frame, name="figure-3-frame"),
    path("leaderboard/<slug:slug>/charts/<str:name>/", chart_views.chart, name="chart"),
    path("leaderboard/<slug:slug>/charts/<str:name>/points/", chart_views.chart_points, name="chart-points"),
    path("leaderboard/<slug:slug>/charts/<str:name>/frame/", chart_views.chart_frame, name="chart-frame"),
    path("leaderboard/<slug:slug>/tables/<str:name>/", layout_views.layout, name="layout"),
    path("benchmarks/<slug:slug>/items/<slug:public_id>/", item_views.item, name="item"),
    path("compare/", compare_views.compare, name="compare"),
    path("compare/points/", compare_views.compare_points, name="compare-points"),
    path("compare/frame/", compare_views.compare_frame, name="compare-frame"),
    path("snapshots/", snapshot_views.snapshots, name="snapshots"),
    path("snapshots/<slug:slug>/", snapshot_views.snapshot, name="snapshot"),
    path("snapshots/<slug:slug>/file/", snapshot_views.snapshot_file, name="snapshot-file"),
    path("about/statistics/", views.statistics, name="statistics"),
    path("api/v1/", include("leaderboard.api.urls")),
]
