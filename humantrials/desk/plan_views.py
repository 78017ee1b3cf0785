"""Authors' page on planning: precision, power and cost of a trial before it opens, and whether it is precise enough."""

from decimal import Decimal
from math import floor
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.models import User
from benchmarks.number_fields import TypedDecimal, TypedFloat
from humantrials.desk.study_views import at_the_desk, desk, need_tab
from humantrials.models import Trial, TrialState
from humantrials.planning.sample_size import ASSUMED, Pilot, Price, minutes_of, pilot_of, plans, progress, suggested
from humantrials.planning.second_round import round_progress
from humantrials.protocols import find_protocol
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
    wanted = TypedFloat(min_value=0.5, max_value=50, label="Half of the 95 % interval wanted, points")
    pay = TypedDecimal(min_value=0, max_digits=8, decimal_places=2, required=False, label="Pay for a sheet")
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
            self.add_error("pay", "A budget needs the pay for a sheet.")
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


@at_the_desk
@require_http_methods(["GET", "HEAD", "POST"])
def plan(request: HttpRequest, trial: Trial) -> HttpResponse:
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


def _registered(request: HttpRequest, trial: Trial, wanted: float) -> HttpResponse:
    """Register the precision as the stopping rule, while the study is a draft."""
    if trial.state != TrialState.DRAFT:
        messages.warning(request, "The study has been opened: its stopping rule is registered as it was then.")
        return redirect("trial-plan", trial.slug)
    trial.settings = {**trial.settings, "precision": wanted}
    trial.save(update_fields=["settings"])
    note = f"stop at half an interval of {wanted:g} points"
    trial.events.create(kind="precision", note=note, by=cast(User, request.user))
    messages.success(request, f"The study's stopping rule: half the 95 % interval is {wanted:g} points at most.")
    return redirect("trial-plan", trial.slug)
