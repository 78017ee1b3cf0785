"""Addresses below an annotator's token."""

from django.urls import path

from benchmarks.models import RenditionKind
from extensions.annotation.pages import views

urlpatterns = [
    path("task/", views.work, name="road-work"),
    path("another/", views.another, name="road-another"),
    path("w/<int:position>/<int:place>", views.work_file, {"kind": RenditionKind.ORIGINAL}, name="road-work-clip"),
    path("w/<int:position>/<int:place>/frame", views.work_file, {"kind": RenditionKind.POSTER}, name="road-work-frame"),
    path("back/<int:answer>/<int:place>/frame", views.returned_frame, name="road-returned-frame"),
]
