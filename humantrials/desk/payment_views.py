"""Authors' pages on pay: recommendations and reasons, the ledger, and the panel's payment list."""

import csv
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from accounts.typing import SignedInRequest
from benchmarks.gallery.query import page_of
from humantrials.desk.study_views import TABLE, at_the_desk, desk, download, form_at_the_desk
from humantrials.errors import AlreadyPaid
from humantrials.identities import payees
from humantrials.models import Trial
from humantrials.planning.forms import PayEntryForm, PayForm
from humantrials.running.payments import PayLine, approve, approve_all, lines, owed
from measures.spreadsheet_cells import defused

PAGE = 100
LIST = ("panel_id", "participant", "completion_code", "kind", "amount", "currency", "reason", "approved_at")


@form_at_the_desk
def pay(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Everybody who consented, with our recommendations; the pay of a sheet is fixed once somebody is paid."""
    is_fixed = trial.pay_entries.exists()
    now = {"pay_amount": trial.pay_amount, "pay_currency": trial.pay_currency}
    form = PayForm(request.POST or None, initial=now)
    if request.method == "POST" and not is_fixed and form.is_valid():
        trial.pay_amount, trial.pay_currency = form.cleaned_data["pay_amount"], form.cleaned_data["pay_currency"]
        trial.save(update_fields=["pay_amount", "pay_currency"])
        note = f"{trial.pay_amount or 0} {trial.pay_currency} a sheet"
        trial.events.create(kind="pay", note=note, by=request.user)
        messages.success(request, f"A whole sheet is worth {note.removesuffix(' a sheet')}.")
        return redirect("trial-pay", trial.slug)
    every = lines(trial, owed(trial))
    facts = {
        "page": page_of(request, every, PAGE, or_nearest=True),
        "form": form,
        "is_fixed": is_fixed,
        **_due(every),
        "approved_sum": trial.pay_entries.aggregate(sum=Sum("amount"))["sum"] or Decimal(0),
        "may_see_ids": request.user.has_perm("humantrials.view_identity"),
    }
    return desk(request, "pay", trial, "pay", **facts)


@form_at_the_desk
def approve_recommended(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Approve everything that is recommended, after a confirmation."""
    if request.method == "POST":
        count = approve_all(trial=trial, by=request.user)
        messages.success(request, f"{count} approved as recommended.")
        return redirect("trial-pay", trial.slug)
    return desk(request, "pay_approve", trial, "pay", **_due(lines(trial, owed(trial))))


def _due(every: Iterable[PayLine]) -> dict[str, Any]:
    """How many people wait for what is recommended, and how much it is together."""
    amounts = [line.recommended.amount or Decimal(0) for line in every if line.is_due]
    return {"due": len(amounts), "due_sum": sum(amounts, Decimal(0))}


@form_at_the_desk
def pay_one(request: SignedInRequest, trial: Trial, code: str) -> HttpResponse:
    """One person: the recommendation, the approved entries, and a form for a new one."""
    person = get_object_or_404(owed(trial), code=code)
    (line,) = lines(trial, [person])
    first = {"amount": line.recommended.amount, "reason": line.recommended.reason}
    form = PayEntryForm(request.POST or None, initial=first)
    if request.method == "POST" and form.is_valid():
        try:
            approve(participant=person, by=request.user, **form.cleaned_data)
        except AlreadyPaid as error:
            form.add_error("kind", str(error))
        else:
            messages.success(request, f"{person.code}: {form.cleaned_data['amount']} approved.")
            return redirect("trial-pay-one", trial.slug, person.code)
    return desk(request, "pay_one", trial, "pay", line=line, form=form)


@at_the_desk
def pay_list(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Download approved pay by panel id; needs permission to see ids, and is logged."""
    if not request.user.has_perm("humantrials.view_identity"):
        raise PermissionDenied
    named = payees(trial)
    response = download(b"", f"{trial.slug}-pay.csv", TABLE)
    writer = csv.writer(response)
    writer.writerow(LIST)
    for entry in trial.pay_entries.select_related("participant"):
        person = entry.participant
        row = (named.get(person.pk, ""), person.code, person.own_code, entry.kind, entry.amount)
        writer.writerow([defused(value) for value in (*row, trial.pay_currency, entry.reason, entry.at.isoformat())])
    note = f"{trial.pay_entries.count()} lines with panel ids"
    trial.events.create(kind="pay list", note=note, by=request.user)
    return response
