"""The author's pages on a draft: its settings, which the first opening freezes, and precision, power and cost."""

from collections import Counter
from decimal import Decimal
from math import floor
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.models import User
from accounts.typing import SignedInRequest
from benchmarks.number_fields import TypedDecimal, TypedFloat
from humantrials.assignment.item_pool import items_of, pool_items
from humantrials.desk.study_views import desk, form_at_the_desk, need_tab
from humantrials.errors import BadSetting
from humantrials.judging.attention_checks import check_attention
from humantrials.judging.pilot_exclusions import what_pilots_say
from humantrials.models import Trial, TrialState
from humantrials.planning.forms import DraftForm
from humantrials.planning.sample_size import ASSUMED, Pilot, Price, minutes_of, pilot_of, plans, progress, suggested
from humantrials.planning.second_round import check_second_round, round_progress
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import OF_THE_DESIGN, read_settings, typed_settings
from measures.estimate import Variation


class PlanForm(forms.Form):
    """Assumptions in percentage points, and people's pay."""

    share = TypedFloat(min_value=1, max_value=99, label="Expected share of right answers, %")
    people = TypedFloat(
        min_value=0,
        max_value=50,
        label="Standard deviation between people, points",
        help_text="How much the shares of people differ.",
    )
    items = TypedFloat(
        min_value=0,
        max_value=50,
        label="Standard deviation between items, points",
        help_text="How much the shares of clips differ.",
    )
    reference = TypedFloat(
        min_value=0, max_value=100, label="Reference, %", help_text="Chance, or a model that people are compared with."
    )
    wanted = TypedFloat(min_value=0.5, max_value=50, label="Target precision: half of the 95 % interval, points")
    pay = TypedDecimal(min_value=0, max_digits=8, decimal_places=2, required=False, label="Pay per sheet")
    fee = TypedDecimal(
        min_value=0, max_value=500, max_digits=5, decimal_places=1, required=False, label="Fee of the panel, % of pay"
    )
    budget = TypedDecimal(min_value=0, max_digits=10, decimal_places=2, required=False, label="Budget")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            self._check_spread(cleaned)
            self._check_budget(cleaned)
        return cleaned

    def _check_spread(self, cleaned: dict[str, Any]) -> None:
        most = cleaned["share"] / 100 * (1 - cleaned["share"] / 100)
        if (cleaned["people"] ** 2 + cleaned["items"] ** 2) / 10_000 > most:
            self.add_error(
                "items",
                f"At {cleaned['share']:g} % right, people and items together can't vary by more than"
                f" {100 * most**0.5:.0f} points (the root of the sum of their squares).",
            )

    def _check_budget(self, cleaned: dict[str, Any]) -> None:
        price = self.price
        if cleaned.get("budget") is None:
            return
        if price is None:
            self.add_error("pay", "A budget needs the pay per sheet.")
        elif cleaned["budget"] < price.of_one:
            self.add_error("budget", f"This budget pays nobody: one person costs {price.of_one} with the fee.")

    @property
    def price(self) -> Price | None:
        pay, fee = self.cleaned_data.get("pay"), self.cleaned_data.get("fee") or Decimal(0)
        return Price(pay, fee / 100) if pay is not None else None

    @property
    def variation(self) -> Variation:
        cleaned = self.cleaned_data
        return Variation(cleaned["share"] / 100, (cleaned["people"] / 100) ** 2, (cleaned["items"] / 100) ** 2)


@form_at_the_desk
def plan(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Precision and cost of several study sizes; a draft's wanted precision can be registered as its stopping rule."""
    need_tab(trial, "plan")
    if not find_protocol(trial.protocol).analysis.has_right_answers:
        return desk(request, "plan", trial, "plan", has_no_share=True)
    pilot = pilot_of(trial)
    submitted = request.POST or request.GET
    form = PlanForm(submitted if "share" in submitted else _start(trial, pilot))
    is_valid = form.is_valid()
    if request.method == "POST" and is_valid:
        return _registered(request, trial, form.cleaned_data["wanted"])
    facts: dict[str, Any] = {"form": form, "pilot": pilot, "progress": progress(trial), "rounds": round_progress(trial)}
    facts |= {"may_register": trial.state == TrialState.DRAFT, "registered": trial.settings.get("precision")}
    if is_valid:
        facts |= _computed(trial, pilot, form)
    return desk(request, "plan", trial, "plan", **facts)


def _computed(trial: Trial, pilot: Pilot, form: PlanForm) -> dict[str, Any]:
    cleaned, minutes = form.cleaned_data, minutes_of(trial, pilot)
    found = plans(
        trial,
        form.variation,
        reference=cleaned["reference"] / 100,
        wanted=cleaned["wanted"] / 100,
        price=form.price,
        budget=cleaned.get("budget"),
    )
    hourly = form.price.pay / Decimal(minutes) * 60 if form.price and minutes else None
    again = trial.settings.get("second_round")
    extra = form.price.of_one * again if form.price and again else None
    return {"extra": extra, "plans": found, "suggested": suggested(found), "minutes": minutes, "hourly": hourly}


def _start(trial: Trial, pilot: Pilot) -> dict[str, Any]:
    """Initial values of the form: from the pilot if its share is usable, else `ASSUMED`."""
    known = pilot.variation if pilot.variation and 0.01 <= pilot.variation.share <= 0.99 else ASSUMED
    return {
        "share": round(100 * known.share, 1),
        "people": _points(known.people),
        "items": _points(known.items),
        "reference": 50,
        "wanted": trial.settings.get("precision") or 5,
        "pay": trial.pay_amount,
        "fee": 0,
    }


def _points(variance: float) -> float:
    """The standard deviation in points, rounded down: two rounded up could exceed what answers can vary."""
    return floor(round(1000 * variance**0.5, 6)) / 10


def _registered(request: SignedInRequest, trial: Trial, wanted: float) -> HttpResponse:
    """Register the precision as the stopping rule, while the study is a draft."""
    if trial.state != TrialState.DRAFT:
        messages.warning(request, "The study has been opened: its stopping rule is registered as it was then.")
        return redirect("trial-plan", trial.slug)
    trial.settings = {**trial.settings, "precision": wanted}
    trial.save(update_fields=["settings"])
    note = f"stop at half an interval of {wanted:g} points"
    trial.events.create(kind="precision", note=note, by=request.user)
    messages.success(request, f"The study's stopping rule: half the 95 % interval is {wanted:g} points at most.")
    return redirect("trial-plan", trial.slug)


@form_at_the_desk
def trial_settings(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Change the settings of a draft; after the first opening they are read-only."""
    is_draft = trial.state == TrialState.DRAFT
    form = DraftForm(trial, request.POST if request.method == "POST" else None) if is_draft else None
    if request.method == "POST" and form and form.is_valid() and _settings_stored(request, trial, form):
        return redirect("trial-settings", trial.slug)
    response = desk(request, "settings", trial, "manage", form=form, typed=typed_settings(trial.settings))
    if request.method == "POST" and not form:
        response.status_code = 409
    return response


def _settings_stored(request: SignedInRequest, trial: Trial, form: DraftForm) -> bool:
    """Store the submitted settings and confirm it; a value that does not fit the trial is reported at its field."""
    try:
        is_stored = store_settings(trial=trial, typed=form.cleaned_data["settings"], by=request.user)
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
    if against := what_pilots_say(found, dict(found.settings.get("rules", ()))):
        raise BadSetting(against, "rules")
    used = {found.practice_id or 0, *found.slots.values_list("item_id", flat=True)}
    lengths = Counter(found.slots.values_list("sheet", flat=True)).values()
    check_attention(found, used, min(lengths, default=0))
    protocol, wanted = find_protocol(found.protocol), found.settings.get("second_round")
    check_second_round(protocol, wanted, pool_items(protocol, items_of(found)) if wanted else [])
    found.save(update_fields=["settings"])
    note = ", ".join(f"{name}={value}" for name, value in typed.items()) or "as the protocol says"
    found.events.create(kind="settings", note=note[:300], by=by)
    return True
