"""Addresses of the desk about annotation studies."""

from django.urls import path

from humantrials.desk import annotation_views, answer_views

urlpatterns = [
    path("trials/<slug:slug>/annotation/", annotation_views.annotation, name="annotation"),
    path("trials/<slug:slug>/annotation/questions/", annotation_views.questions, name="annotation-questions"),
    path("trials/<slug:slug>/annotation/rounds/", annotation_views.rounds, name="annotation-rounds"),
    path("trials/<slug:slug>/annotation/answers/", answer_views.answers, name="annotation-answers"),
    path("trials/<slug:slug>/annotation/answers/<int:pk>/", answer_views.answer_decision, name="annotation-answer"),
    path("trials/<slug:slug>/annotation/data-set.zip", annotation_views.data_set, name="annotation-data-set"),
    path("trials/<slug:slug>/annotation/<int:number>.jpg", annotation_views.object_frame, name="annotation-frame"),
    path("trials/<slug:slug>/annotation/<int:number>.mp4", annotation_views.object_clip, name="annotation-clip"),
]
