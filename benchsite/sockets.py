"""Every websocket address, one line each."""

from django.urls import path

from evaluation.consumers import RunConsumer

sockets = [path("ws/runs/<int:run_id>/", RunConsumer.as_asgi())]
