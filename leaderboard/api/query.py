"""Query parameters of the API's lists: filters, fields and paging. An unknown one is an error, never ignored."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError as NoKey
from django.core.validators import ProhibitNullCharactersValidator
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

PAGE, MOST = 50, 500
OF_EVERY_LIST = ("cursor", "page_size", "fields", "format")


class KeyPages(CursorPagination):
    """Pages by cursor on a unique key: no row is skipped or repeated while others are added."""

    page_size = PAGE
    page_size_query_param = "page_size"
    max_page_size = MOST
    page_size_query_description = f"rows a page, 1 to {MOST}; {PAGE} by default, {MOST} for CSV"
    cursor_query_description = "where the page begins: take it from `next` or `previous`"

    def get_page_size(self, request: Request) -> int:
        """The requested page size, by default the largest for CSV; ValidationError for no whole number in range."""
        is_csv = getattr(getattr(request, "accepted_renderer", None), "format", "") == "csv"
        text = request.query_params.get("page_size", str(MOST if is_csv else PAGE))
        if not text.isascii() or not text.isdigit() or len(text) > 6 or not 1 <= int(text) <= MOST:
            raise ValidationError({"page_size": f"{text[:20]!r}: a whole number from 1 to {MOST}"})
        return int(text)

    def paginate_queryset(self, queryset: QuerySet, request: Request, view: APIView | None = None) -> list[Any] | None:
        assert view is not None
        meta = queryset.model._meta
        self.key_field = meta.pk if view.key == "pk" else meta.get_field(view.key)
        return super().paginate_queryset(queryset, request, view)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The place where the page begins; ValidationError unless it could be a key of this list."""
        try:
            cursor = super().decode_cursor(request)
            if cursor and cursor.position is not None:
                ProhibitNullCharactersValidator()(cursor.position)
                self.key_field.clean(cursor.position, None)
        except (NotFound, NoKey):
            raise ValidationError({"cursor": "is no place in this list: take it from `next` or `previous`"}) from None
        return cursor

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """The paging parameters for the schema, with the range of `page_size`."""
        found = super().get_schema_operation_parameters(view)
        for each in found:
            if each["name"] == self.page_size_query_param:
                each["schema"] = {"type": "integer", "minimum": 1, "maximum": MOST, "default": PAGE}
        return found

    def get_ordering(self, request: Request, queryset: QuerySet, view: APIView) -> tuple[str, ...]:
        """The view's own order: a caller can't change it, since cursors depend on it."""
        return (view.key,)


class StrictFilters(filters.DjangoFilterBackend):
    """Filter backend for which an unknown parameter is an error that lists the known ones."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: APIView) -> QuerySet:
        known = getattr(view, "filterset_class", None)
        refuse_unknown(request, known.base_filters if known else ())
        return super().filter_queryset(request, queryset, view)


def refuse_unknown(request: Request, known: Iterable[str], also: Iterable[str] = OF_EVERY_LIST) -> None:
    """Raise a ValidationError that names each unknown parameter and lists the known ones."""
    there = (*known, *also)
    unknown = sorted(set(request.query_params) - set(there))
    if unknown:
        raise ValidationError({name[:60]: f"does not exist here; there is: {', '.join(there)}" for name in unknown})


class ChosenFields:
    """Serializer mixin whose fields `fields=a,b` selects; an unknown one is an error that lists the known ones."""

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()  # type: ignore[misc]
        request = self.context.get("request")  # type: ignore[attr-defined]
        text = request.query_params.get("fields", "") if request else ""
        wanted = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in wanted if name not in fields]
        if unknown:
            raise ValidationError({"fields": f"{unknown[0][:60]!r} does not exist; there is: {', '.join(fields)}"})
        return {name: fields[name] for name in wanted} if wanted else fields
