"""URLs below a participant's token, which need no account (`benchsite/web/accounts_only.py`)."""

from django.urls import path

from humantrials.participation import annotation_views, media_views, views

urlpatterns = [
    path("p/<slug:token>/", views.current_step, name="road"),
    path("p/<slug:token>/leave/", views.leave, name="road-leave"),
    path("p/<slug:token>/answer/", views.answer, name="road-answer"),
    path("p/<slug:token>/follow-up/", views.follow_up, name="road-follow-up"),
    path("p/<slug:token>/code/", views.code, name="road-code"),
    path("p/<slug:token>/beat/", views.heartbeat, name="road-beat"),
    path("p/<slug:token>/problem/", views.problem, name="road-problem"),
    path("p/<slug:token>/sound/<slug:side>/", media_views.sound, name="road-sound"),
    path("p/<slug:token>/task/", annotation_views.work, name="road-work"),
    path("p/<slug:token>/another/", annotation_views.another, name="road-another"),
    path("p/<slug:token>/w/<int:position>/<int:place>", annotation_views.work_clip, name="road-work-clip"),
    path("p/<slug:token>/w/<int:position>/<int:place>/frame", annotation_views.work_frame, name="road-work-frame"),
    path(
        "p/<slug:token>/back/<int:answer>/<int:place>/frame",
        annotation_views.returned_frame,
        name="road-returned-frame",
    ),
    path("p/<slug:token>/m/practice", media_views.practice_clip, name="road-practice-clip"),
    path("p/<slug:token>/m/practice/<int:place>", media_views.practice_clip, name="road-practice-clip-at"),
    path("p/<slug:token>/m/practice/<int:place>/frame", media_views.practice_frame, name="road-practice-frame"),
    path("p/<slug:token>/m/practice/<int:place>/picture", media_views.practice_picture, name="road-practice-picture"),
    path("p/<slug:token>/m/<int:position>", media_views.clip, name="road-clip"),
    path("p/<slug:token>/m/<int:position>/<int:place>", media_views.clip, name="road-clip-at"),
    path("p/<slug:token>/m/<int:position>/<int:place>/picture", media_views.picture, name="road-picture"),
    path("p/<slug:token>/m/<int:position>/<int:place>/frame", media_views.frame, name="road-frame"),
]
