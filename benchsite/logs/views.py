"""Endpoints for monitoring, /healthz, /readyz and /metrics, and the operations page for staff."""

import ipaddress
import secrets

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from benchmarks import leasing
from benchsite.logs.health import look
from benchsite.logs.heartbeats import signs
from benchsite.logs.metrics import page_of_metrics
from benchsite.logs.open_studies import open_studies
from benchsite.logs.operations import errors, machine, queues


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Liveness: the process answers. Nothing else is checked, because a failure would restart the process."""
    return JsonResponse({"ok": True})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Readiness, for load balancers: 200 if this process may get visitors, else 503."""
    is_ready, found = look()
    return JsonResponse({"ok": is_ready, "checks": found}, status=200 if is_ready else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for Prometheus: with METRICS_TOKEN, or, if none is set, from this machine without a proxy."""
    if not may_read(request):
        words = "Metrics are read with the key METRICS_TOKEN, or, where none is set, on the same machine.\n"
        return HttpResponse(words, status=403, content_type="text/plain")
    return HttpResponse(page_of_metrics(), content_type=CONTENT_TYPE_LATEST)


@require_safe
@login_required
def operations(request: HttpRequest) -> HttpResponse:
    """The operations page, for staff: what runs, waits and fails."""
    if not request.user.is_staff:
        raise Http404
    is_ready, found = look()
    facts = {
        "now": leasing.database_now(),
        "is_ready": is_ready,
        "wrong": [(name, message) for name, message in found.items() if message != "ok"],
        "checks": list(found),
        "signs": signs(),
        "queues": queues().items(),
        "machine": machine(),
        "errors": errors(),
        "studies": open_studies(),
        "section": "account",
    }
    response = render(request, "operations.html", facts)
    response["Cache-Control"] = "private, no-store"
    return response


def may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return secrets.compare_digest(token.encode(errors="replace"), settings.METRICS_TOKEN.encode())
    return "X-Forwarded-For" not in request.headers and _is_here(request.META.get("REMOTE_ADDR", ""))


def _is_here(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


urlpatterns = [
    path("healthz", health, name="healthz"),
    path("readyz", ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("operations/", operations, name="operations"),
]
