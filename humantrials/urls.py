"""Addresses of this app: results for readers, and the road of participants."""

from django.urls import path

from humantrials import road_views, views

urlpatterns = [
    path("trials/", views.trials, name="trials"),
    path("trials/<slug:slug>/", views.trial, name="trial"),
    path("t/<slug:slug>/", road_views.entry, name="trial-entry"),
    path("p/<slug:token>/", road_views.road, name="road"),
    path("p/<slug:token>/answer/", road_views.answer, name="road-answer"),
    path("p/<slug:token>/beat/", road_views.beat, name="road-beat"),
    path("p/<slug:token>/problem/", road_views.problem, name="road-problem"),
    path("p/<slug:token>/m/practice", road_views.practice_clip, name="road-practice-clip"),
    path("p/<slug:token>/m/<int:position>", road_views.clip, name="road-clip"),
]
