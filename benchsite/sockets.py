"""Every websocket address, one line each."""

from django.urls import path

from evaluation.consumers import RunConsumer
from leaderboard.consumers import BoardConsumer

sockets = [
    path("ws/runs/<int:run_id>/", RunConsumer.as_asgi()),
    path("ws/boards/<slug:slug>/", BoardConsumer.as_asgi()),
]
