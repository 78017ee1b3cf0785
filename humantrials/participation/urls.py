"""URLs below a participant's token, which need no account (`benchsite/web/middleware.py`)."""

from django.urls import include, path

from humantrials.kinds import kinds
from humantrials.participation import media_views, views

urlpatterns = [
    path("", views.current_step, name="road"),
    path("leave/", views.leave, name="road-leave"),
    path("answer/", views.answer, name="road-answer"),
    path("follow-up/", views.follow_up, name="road-follow-up"),
    path("code/", views.code, name="road-code"),
    path("beat/", views.heartbeat, name="road-beat"),
    path("problem/", views.problem, name="road-problem"),
    path("sound/<slug:side>/", media_views.sound, name="road-sound"),
    path("m/practice", media_views.practice_clip, name="road-practice-clip"),
    path("m/practice/<int:place>", media_views.practice_clip, name="road-practice-clip-at"),
    path("m/practice/<int:place>/frame", media_views.practice_frame, name="road-practice-frame"),
    path("m/practice/<int:place>/picture", media_views.practice_picture, name="road-practice-picture"),
    path("m/<int:position>", media_views.clip, name="road-clip"),
    path("m/<int:position>/<int:place>", media_views.clip, name="road-clip-at"),
    path("m/<int:position>/<int:place>/picture", media_views.picture, name="road-picture"),
    path("m/<int:position>/<int:place>/frame", media_views.frame, name="road-frame"),
    *(path("", include(kind.participant_urls)) for kind in kinds() if kind.participant_urls),
]
