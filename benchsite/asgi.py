"""The entry point for websockets (and for pages, if one process serves both)."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

from benchsite import production_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
production_settings.require()
pages = get_asgi_application()

from benchsite.logs.logging import take_over  # noqa: E402
from benchsite.logs.websockets import ObservedSocket  # noqa: E402
from benchsite.web.websocket_urls import sockets  # noqa: E402  (consumers import models: the apps must be ready)

take_over()
application = ProtocolTypeRouter({"http": pages, "websocket": ObservedSocket(URLRouter(sockets))})
