"""A confirmation page for bulk actions: it lists the rows and the effect on each."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

MOST = 200  # rows per bulk action: nobody would read a longer preview

Act = Callable[[Any, HttpRequest, QuerySet[Any]], None]
Confirmation = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


def previewed(becomes: Callable[[Any], str], *, wants_reason: bool = False) -> Callable[[Act], Confirmation]:
    """Decorate an action so that it runs only after its preview, with `becomes(row)` for each row, is confirmed."""

    def made(act: Act) -> Confirmation:
        @wraps(act)
        def previewed(own: Any, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
            if problem := _refusal(request, rows, wants_reason=wants_reason):
                own.message_user(request, problem, messages.ERROR)
                return None
            if request.POST.get("confirmed") == "1":
                act(own, request, rows)
                return None
            return _preview(own, request, rows, becomes)

        return previewed

    return made


def _refusal(request: HttpRequest, rows: QuerySet[Any], *, wants_reason: bool) -> str:
    if rows.count() > MOST:
        return f"Choose at most {MOST} at once."
    return (
        "Say why, in the field beside the act." if wants_reason and not request.POST.get("reason", "").strip() else ""
    )


def _preview(own: Any, request: HttpRequest, rows: QuerySet[Any], becomes: Callable[[Any], str]) -> HttpResponse:
    context = {
        **own.admin_site.each_context(request),
        "title": "What would happen",
        "opts": own.model._meta,
        "rows": [(row, becomes(row)) for row in rows],
        "checkbox": ACTION_CHECKBOX_NAME,
        "action": request.POST.get("action", ""),
        "reason": request.POST.get("reason", "").strip()[:300],
    }
    return TemplateResponse(request, "admin/preview.html", context)
