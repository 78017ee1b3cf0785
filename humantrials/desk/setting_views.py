"""The author's page on the settings of a draft, which the first opening freezes."""

from collections import Counter
from typing import Any, cast

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.models import User
from humantrials.assignment.item_pool import items_of, pool_items
from humantrials.desk.study_views import at_the_desk, desk
from humantrials.errors import BadSetting
from humantrials.judging.attention_checks import check_attention
from humantrials.judging.pilot_exclusions import check_rules
from humantrials.models import Trial, TrialState
from humantrials.planning.forms import DraftForm
from humantrials.planning.second_round import check_second_round
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import OF_THE_DESIGN, read_settings, typed_settings


@at_the_desk
@require_http_methods(["GET", "HEAD", "POST"])
def trial_settings(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Change the settings of a draft; after the first opening they are read-only."""
    is_draft = trial.state == TrialState.DRAFT
    form = DraftForm(trial, request.POST if request.method == "POST" else None) if is_draft else None
    if request.method == "POST" and form and form.is_valid() and _settings_stored(request, trial, form):
        return redirect("trial-settings", trial.slug)
    response = desk(request, "settings", trial, "manage", form=form, shown=typed_settings(trial.settings))
    if request.method == "POST" and not form:
        response.status_code = 409
    return response


def _settings_stored(request: HttpRequest, trial: Trial, form: DraftForm) -> bool:
    """Store the submitted settings and confirm it; a value that does not fit the trial is reported at its field."""
    try:
        is_stored = store_settings(trial=trial, typed=form.cleaned_data["settings"], by=cast(User, request.user))
    except BadSetting as error:
        form.add_error(error.name or None, str(error))
        return False
    if is_stored:
        messages.success(request, "The settings are saved. They are frozen when the study is first opened.")
    else:
        messages.warning(request, "The study was opened meanwhile: its settings are as they were then.")
    return True


@transaction.atomic
def store_settings(*, trial: Trial, typed: dict[str, Any], by: User) -> bool:
    """Store the settings beside those that the sheets were made from, and log them; False if people may have come."""
    found = Trial.objects.select_for_update().get(pk=trial.pk)
    if found.state != TrialState.DRAFT:
        return False
    of_the_design = {name: value for name, value in found.settings.items() if name in OF_THE_DESIGN}
    found.settings = of_the_design | read_settings(typed)
    check_rules(found)
    used = {found.practice_id or 0, *found.slots.values_list("item_id", flat=True)}
    lengths = Counter(found.slots.values_list("sheet", flat=True)).values()
    check_attention(found, used, min(lengths, default=0))
    protocol, wanted = find_protocol(found.protocol), found.settings.get("second_round")
    check_second_round(protocol, wanted, pool_items(protocol, items_of(found)) if wanted else [])
    found.save(update_fields=["settings"])
    note = ", ".join(f"{name}={value}" for name, value in typed.items()) or "as the protocol says"
    found.events.create(kind="settings", note=note[:300], by=by)
    return True
