"""Addresses below an annotator's token."""

from django.urls import path

from extensions.annotation.pages import views

urlpatterns = [
    path("task/", views.work, name="road-work"),
    path("another/", views.another, name="road-another"),
    path("w/<int:position>/<int:place>", views.work_clip, name="road-work-clip"),
    path("w/<int:position>/<int:place>/frame", views.work_frame, name="road-work-frame"),
    path("back/<int:answer>/<int:place>/frame", views.returned_frame, name="road-returned-frame"),
]
