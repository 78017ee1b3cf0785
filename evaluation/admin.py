"""Models, runs and responses in the admin site, where uploads are listed or declined."""

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from accounts.models import User
from benchmarks.admin.bulk_preview import previewed
from benchmarks.admin.packs import ImmutableAdmin, ImmutableInline, NotDeletedHere
from evaluation.errors import RunMisused
from evaluation.models import Listing, Model, ModelResponse, Reading, Run, Shard, ShardState
from evaluation.runs.add_model import check_options, check_slug
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing.lifecycle import decline, list_run, obstacle

KIND = "openai"
EXAMPLE = {"base_url": "http://127.0.0.1:8000/v1", "model": "", "key_variable": ""}


class ServerModelForm(forms.ModelForm):
    """A model behind an OpenAI-compatible server; options are checked as by `add_model`.

    Folders of weights and programs are added by `benchsite add_model` on the machine itself: a shell there may run
    programs, a browser session of staff may not.
    """

    class Meta:
        model = Model
        fields = ("slug", "name", "revision", "options")
        help_texts = {
            "revision": "What tells these weights from others under the same name.",
            "options": "As in docs/models.md. key_variable is the name of an environment variable that ends in"
            " _API_KEY, never the key.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["options"].initial = EXAMPLE
        self.instance.kind = KIND

    def clean_slug(self) -> str:
        return self._checked(check_slug, self.cleaned_data["slug"])

    def clean_options(self) -> dict[str, Any]:
        from evaluation.adapters.hosts import is_named
        from evaluation.adapters.openai.options import ServerOptions

        typed = self.cleaned_data["options"]
        if not isinstance(typed, dict):
            raise forms.ValidationError("an object of option names and values")
        options = {name: value for name, value in typed.items() if value != ""}
        self._checked(check_options, KIND, options)
        if not is_named(host := ServerOptions(**options).host):
            raise forms.ValidationError(
                f"option base_url: {host} is not named by MODEL_HOSTS; who runs the site names it there, or adds the"
                " model by `benchsite add_model`"
            )
        return options

    def _checked(self, check: Any, *values: Any) -> Any:
        try:
            return check(*values)
        except RunMisused as error:
            raise forms.ValidationError(str(error)) from error


class ReasonForm(ActionForm):
    """The choice of an action, and the reason shown to a sender whose upload is declined."""

    reason = forms.CharField(required=False, max_length=300, label="Reason (for declining)")


class ShardInline(ImmutableInline):
    """Leased and failed shards only: a large run has thousands of others."""

    model = Shard
    verbose_name_plural = "shards held or failed"
    fields = readonly_fields = ("number", "state", "holder", "attempts", "heartbeat_at", "lease_until", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Shard]:
        return super().get_queryset(request).filter(state__in=(ShardState.LEASED, ShardState.FAILED))


@admin.register(Model)
class ModelAdmin(NotDeletedHere):
    list_display = ("name", "slug", "kind", "revision", "made_here", "owner", "created_at")
    list_filter = ("kind", "made_here")
    list_select_related = ("owner",)
    search_fields = ("name", "slug", "owner__username")
    readonly_fields = ("slug", "kind", "options", "revision", "made_here", "owner", "created_at")
    form = ServerModelForm

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether models may be added: only those behind a server, see ServerModelForm."""
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ServerModelForm.Meta.fields if obj is None else ("name", "card", *self.readonly_fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else self.readonly_fields

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **how: Any) -> Any:
        return super().get_form(request, obj, change, **how | ({} if obj is None else {"form": forms.ModelForm}))


@admin.register(Run)
class RunAdmin(NotDeletedHere):
    """Runs come from commands and uploads; staff decide whether an upload appears on the leaderboard."""

    list_display = ("pk", "model", "listing", "state", "code", "priority", "kind", "strategy", "pack", "owner", "page")
    list_filter = ("listing", "kind", "state", "code", "strategy", "condition", "pack")
    list_select_related = ("model", "pack", "owner")
    search_fields = ("model__name", "model__slug", "owner__username")
    date_hierarchy = "created_at"
    action_form = ReasonForm
    actions = ("put_on_the_board", "decline_with_reason")
    inlines = (ShardInline,)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Actions require the permission to change runs; the form itself is read-only."""
        return super().has_change_permission(request, obj) if obj is None else False

    @admin.display(description="page")
    def page(self, run: Run) -> str:
        return format_html('<a href="{}">open</a>', run.get_absolute_url())

    @admin.action(description="Put on the board", permissions=["change"])
    @previewed(lambda run: obstacle(run, Listing.LISTED) or f"becomes a row of {run.pack}; everybody sees its answers")
    def put_on_the_board(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        def act(run: Run) -> Run:
            return list_run(run=run, by=cast(User, request.user))

        self.do_each(request, runs, act, done="on the board", refusal=SubmissionRefused)

    @admin.action(description="Decline, for the reason beside", permissions=["change"])
    @previewed(
        lambda run: (
            obstacle(run, Listing.DECLINED)
            or f"stays off the board, or leaves it; {run.owner or 'nobody'} reads the reason"
        ),
        wants_reason=True,
    )
    def decline_with_reason(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        def act(run: Run) -> Run:
            return decline(run=run, by=cast(User, request.user), reason=request.POST.get("reason", ""))

        self.do_each(request, runs, act, done="declined", refusal=SubmissionRefused)


class ReadingInline(ImmutableInline):
    model = Reading


@admin.register(ModelResponse)
class ModelResponseAdmin(ImmutableAdmin):
    list_display = ("pk", "run", "item", "seed", "__str__")
    list_filter = ("cell__run__model",)
    list_select_related = ("cell__run__model", "cell__item")
    search_fields = ("cell__item__public_id", "=cell__run__pk")
    readonly_fields = ("cell", "raw")
    inlines = (ReadingInline,)

    @admin.display
    def run(self, response: ModelResponse) -> Run:
        return response.cell.run

    @admin.display
    def item(self, response: ModelResponse) -> str:
        return response.cell.item.public_id

    @admin.display
    def seed(self, response: ModelResponse) -> int:
        return response.cell.seed
