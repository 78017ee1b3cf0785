"""Authors' pages: create a trial, change its state, try it out. Every action is confirmed first and logged."""

import csv
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.typing import SignedInRequest
from humantrials.errors import BadSetting, EmptyPool, TrialError
from humantrials.identities import has_ids
from humantrials.kinds import kind_of
from humantrials.models import OVER, ParticipantKind, PilotAnswer, Trial, TrialState
from humantrials.panels import PANELS, Panel
from humantrials.panels.invited import INVITED, SECRET, invitation
from humantrials.panels.prolific import PROLIFIC, completion_codes
from humantrials.participation.pilots import pilot_key, pilot_so_far
from humantrials.permissions import is_there_for, may_create, may_manage
from humantrials.planning.between_clips import follow_ups_by, has_follow_ups
from humantrials.planning.forms import DraftForm, PanelForm, TrialForm
from humantrials.planning.sample_size import minutes_of, pilot_of
from humantrials.protocols import PROTOCOLS, find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.settings import typed_settings, warning_of
from humantrials.running.lifecycle import create_trial
from humantrials.running.monitoring import head_of
from humantrials.running.prolific_study import PAID, STUDY
from humantrials.running.transitions import ACTS, acts_for
from humantrials.running.verification import verify

View = Callable[..., HttpResponseBase]
TABLE, ZIP = "text/csv; charset=utf-8", "application/zip"


def at_the_desk(view: View, methods: Sequence[str] = ("GET", "HEAD")) -> View:
    """Pass the URL's trial to the view, if the signed-in user may manage it; other methods than these are refused."""

    @login_required
    @require_http_methods(methods)
    @wraps(view)
    def inner(request: HttpRequest, slug: str, **arguments: Any) -> HttpResponseBase:
        trial = get_object_or_404(Trial.objects.select_related("pack"), slug=slug)
        if not is_there_for(request.user, trial):
            raise Http404
        if not may_manage(request.user, trial):
            raise PermissionDenied
        return view(request, trial, **arguments)

    return inner


form_at_the_desk = partial(at_the_desk, methods=("GET", "HEAD", "POST"))


def need_tab(trial: Trial, name: str) -> None:
    """Raise Http404 if the desk of such a study has no page of this name."""
    if name not in {tab.name for tab in kind_of(trial).tabs}:
        raise Http404


def desk(
    request: HttpRequest, template: str, trial: Trial, here: str, app: str = "humantrials", /, **context: Any
) -> HttpResponse:
    """Render a page of an app about one trial for its managers, as wrong if its form is; caches must not store it."""
    facts = {"trial": trial, "here": here, "section": "trials", **context}
    is_wrong = (form := context.get("form")) is not None and form.errors
    response = render(request, f"{app}/{template}.html", facts, status=400 if is_wrong else 200)
    response["Cache-Control"] = "private, no-store"
    return response


def download(content: bytes, name: str, kind: str) -> HttpResponse:
    """A file of this name and content type, which caches must not store."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"}
    return HttpResponse(content, content_type=kind, headers=headers)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_trial(request: SignedInRequest) -> HttpResponse:
    """Choose the protocol, then fill in the form with its settings."""
    if not may_create(request.user):
        raise PermissionDenied
    protocol = PROTOCOLS.get(request.GET.get("protocol", ""))
    if protocol is None:
        return render(request, "humantrials/protocols.html", {"protocols": PROTOCOLS.values(), "section": "trials"})
    form = TrialForm(
        protocol, request.POST or None, initial={"pack": pack} if (pack := request.GET.get("pack")) else {}
    )
    is_check = "check" in request.POST
    design = _design(request, form) if is_check else None
    trial = _made(request, form) if not is_check and request.method == "POST" and form.is_valid() else None
    if trial:
        messages.success(request, f"{trial.title} is created as a draft. Nobody can enter yet.")
        if warning := warning_of(trial.settings, protocol):
            messages.warning(request, warning)
        return redirect("manage-trial", trial.slug)
    facts = {"form": form, "protocol": protocol, "section": "trials", "design": design}
    is_refused = form.errors and not is_check  # a check that finds something wrong has done what it was asked
    return render(request, "humantrials/new.html", facts, status=400 if is_refused else 200)


def _design(request: SignedInRequest, form: TrialForm) -> dict[str, Any] | None:
    """What a draft of this form would be like: it is made, verified and rolled back; None if it can't be made."""
    with transaction.atomic():
        trial = _made(request, form) if form.is_valid() else None
        design = _described(trial, form.protocol) if trial else None
        transaction.set_rollback(True)
    return design


def _described(trial: Trial, protocol: Protocol) -> dict[str, Any]:
    people, answers, report = trial.sheets.count(), trial.slots.count(), verify(trial)
    return {
        "people": people,
        "answers": answers,
        "questions": answers / max(1, people),
        "minutes": minutes_of(trial, pilot_of(trial)),
        "warning": warning_of(trial.settings, protocol),
        "checks": report.invariants,
        "passed": report.passed,
    }


def _made(request: SignedInRequest, form: TrialForm) -> Trial | None:
    """Create the trial, or return None and put the reason into the form."""
    cleaned, author = form.cleaned_data, request.user
    try:
        with transaction.atomic():
            trial = create_trial(
                slug=cleaned["slug"],
                protocol=form.protocol.name,
                pack=cleaned["pack"],
                seed=cleaned["seed"],
                settings=cleaned["settings"],
                title=cleaned["title"],
                author=author,
            )
            trial.retention_days = cleaned["retention_days"]
            trial.save(update_fields=["retention_days"])
            trial.events.create(kind="made", note=f"from {trial.protocol}", by=author)
    except TrialError as error:
        form.add_error(_field_of(error, cleaned["settings"]), str(error))
        return None
    return trial


def _field_of(error: TrialError, settings: Mapping[str, Any]) -> str | None:
    """The form field of the error; an empty pool is blamed on the split if one was set."""
    if isinstance(error, EmptyPool):
        return "split" if "split" in settings else "pack"
    return (error.name or "slug") if isinstance(error, BadSetting) else None


@at_the_desk
def manage(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """The trial's state, its possible actions, links to try it out, and the log."""
    entry = request.build_absolute_uri(f"/t/{trial.slug}/")
    return desk(
        request,
        "manage",
        trial,
        "manage",
        head=head_of(trial),
        form=DraftForm(trial) if trial.state == TrialState.DRAFT else None,
        acts=acts_for(trial),
        typed=typed_settings(trial.settings),
        is_over=trial.state in OVER,
        panel=PANELS[trial.panel],
        **_links(entry, PANELS[trial.panel]),
        pilot_link=f"{entry}?pilot={pilot_key(trial)}",
        pilot=pilot_so_far(trial),
        log=trial.events.select_related("by").order_by("-at", "-pk")[:100],
        protocol=find_protocol(trial.protocol),
        report=verify(trial),
    )


@form_at_the_desk
def act_on_trial(request: SignedInRequest, trial: Trial, name: str) -> HttpResponse:
    """Explain what the action will do, and do it after the confirmation."""
    act = ACTS.get(name)
    if act is None:
        raise Http404
    if act not in acts_for(trial):
        messages.warning(request, f"{trial.title} is {trial.state}: it can't be {act.done} from there.")
        return redirect("manage-trial", trial.slug)
    if request.method != "POST":
        return desk(request, "act", trial, "manage", act=act, will=act.will(trial))
    try:
        act.do(trial=trial, by=request.user)
    except TrialError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{trial.title} is {act.done}.")
    return redirect("manage-trial", trial.slug)


@form_at_the_desk
def panel_of(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """The trial's panel: its choice, its codes and keys, and the link to give to it."""
    panel = PANELS.get(request.GET.get("panel", ""), PANELS[trial.panel])
    form = PanelForm(panel, trial.panel_settings if panel.name == trial.panel else {}, request.POST or None)
    is_taken = panel.name != trial.panel and has_ids(trial)
    if request.method == "POST" and form.is_valid() and not is_taken:
        trial.panel_settings = form.cleaned_data["settings"] | _secret_of(trial, panel) | _agreed_settings(trial, panel)
        trial.panel = panel.name
        trial.save(update_fields=["panel", "panel_settings"])
        trial.events.create(kind="panel", note=panel.title, by=request.user)
        messages.success(request, f"People come from: {panel.title}.")
        return redirect("trial-panel", trial.slug)
    facts = {
        "panels": PANELS.values(),
        "panel": panel,
        "form": form,
        "is_taken": is_taken,
        **_links(request.build_absolute_uri(f"/t/{trial.slug}/"), panel),
        "has_invitations": trial.panel == panel.name == INVITED.name and bool(trial.panel_settings.get("invitations")),
        "codes": json.dumps(completion_codes(trial.panel_settings), indent=2) if trial.panel == "prolific" else "",
    }
    response = desk(request, "panel", trial, "manage", **facts)
    if request.method == "POST" and is_taken and not form.errors:
        response.status_code = 409
    return response


def _links(entry: str, panel: Panel) -> dict[str, str]:
    """The link for all of a panel's people as it can be sent, and the parameter of each person's id if it needs one."""
    has_ids = panel.entry.endswith("=")
    return {"panel_link": entry if has_ids else entry + panel.entry, "panel_id": panel.entry if has_ids else ""}


def _secret_of(trial: Trial, panel: Panel) -> dict[str, str]:
    """The secret that invitations are made from, generated once so that sent links stay valid."""
    return {SECRET: trial.panel_settings.get(SECRET) or secrets.token_hex(16)} if panel.name == INVITED.name else {}


def _agreed_settings(trial: Trial, panel: Panel) -> dict[str, Any]:
    """The settings agreed with Prolific, which no form changes."""
    locked = (STUDY, PAID) if panel.name == trial.panel == PROLIFIC.name else ()
    return {name: trial.panel_settings[name] for name in locked if name in trial.panel_settings}


@at_the_desk
def invitations(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Download the invitation links as a table; each download is logged."""
    secret, count = trial.panel_settings.get(SECRET), trial.panel_settings.get("invitations", 0)
    if trial.panel != INVITED.name or not secret or not count:
        raise Http404
    response = download(b"", f"{trial.slug}-invitations.csv", TABLE)
    entry = request.build_absolute_uri(f"/t/{trial.slug}/")
    writer = csv.writer(response)
    writer.writerow(("number", "link"))
    writer.writerows((number, f"{entry}?invitation={invitation(secret, number)}") for number in range(1, count + 1))
    trial.events.create(kind="invitations", note=f"{count} links", by=request.user)
    return response


@at_the_desk
def pilot_answers(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """The answers of pilots, newest person first."""
    answers = PilotAnswer.objects.filter(participant__trial=trial, participant__kind=ParticipantKind.PILOT)
    rows = answers.select_related("participant", "item").order_by("-participant_id", "position")[:500]
    follow_ups = follow_ups_by({row.participant_id for row in rows})
    for one in rows:
        one.follow_up = follow_ups.get((one.participant_id, one.position))  # type: ignore[attr-defined]  # for the template
    facts = {"answers": rows, "pilot": pilot_so_far(trial), "has_follow_ups": has_follow_ups(trial.settings)}
    return desk(request, "pilot", trial, "manage", **facts)
