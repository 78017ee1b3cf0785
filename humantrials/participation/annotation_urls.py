"""Addresses below an annotator's token."""

from django.urls import path

from humantrials.participation import annotation_views

urlpatterns = [
    path("task/", annotation_views.work, name="road-work"),
    path("another/", annotation_views.another, name="road-another"),
    path("w/<int:position>/<int:place>", annotation_views.work_clip, name="road-work-clip"),
    path("w/<int:position>/<int:place>/frame", annotation_views.work_frame, name="road-work-frame"),
    path("back/<int:answer>/<int:place>/frame", annotation_views.returned_frame, name="road-returned-frame"),
]
