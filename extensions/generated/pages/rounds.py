"""The staff's page of rounds: those that were made, and the form for another."""

from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.errors import BenchmarkError
from benchmarks.leasing import queue_task
from benchmarks.models import Production, ProductionState
from extensions.generated.models import ClipSet, ClipSetState, PromptPack, RatingRound
from extensions.generated.pages.sets import DECIDES, SECTION
from extensions.generated.question_kinds import BREAK, CLIP, PAIR, TRIPLE, study_name
from extensions.generated.rounds.make_round import MAKE, order_round

WORDS = {
    CLIP: "ratings of each clip",
    TRIPLE: "ratings of three clips beside each other",
    PAIR: "pairs of clips",
    BREAK: "the first break of each clip",
}


class RoundForm(forms.Form):
    """Listed clip sets of one prompt pack, and what is asked about them."""

    title = forms.CharField(label="Title", max_length=60, help_text="public, so it names no generator")
    sets = forms.ModelMultipleChoiceField(
        ClipSet.objects.none(), to_field_name="slug", label="Clip sets", widget=forms.CheckboxSelectMultiple
    )
    kinds = forms.MultipleChoiceField(
        choices=list(WORDS.items()), label="Questions", initial=[CLIP], widget=forms.CheckboxSelectMultiple
    )

    after = forms.ModelChoiceField(
        RatingRound.objects.none(),
        to_field_name="slug",
        label="Pairs",
        required=False,
        empty_label="every pair",
        help_text="after another round: the half of all pairs that is nearest to even by its votes",
    )

    def __init__(self, *arguments: Any, pack: PromptPack, **options: Any) -> None:
        super().__init__(*arguments, **options)
        listed = ClipSet.objects.filter(pack=pack, state=ClipSetState.LISTED)
        self.fields["sets"].queryset = listed  # type: ignore[attr-defined]  # a field of the class above
        self.fields["sets"].initial = [each.slug for each in listed]
        voted = pack.rounds.filter(questions__items__kind=PAIR).distinct()
        self.fields["after"].queryset = voted  # type: ignore[attr-defined]  # a field of the class above


@never_cache
@login_required
@permission_required(DECIDES, raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def rounds(request: HttpRequest) -> HttpResponse:
    """Rounds with their studies to make; POST orders a round of the pack in ?pack=."""
    packs = list(PromptPack.objects.filter(clip_sets__state=ClipSetState.LISTED).distinct())
    pack = next((each for each in packs if each.slug == request.GET.get("pack")), packs[0] if packs else None)
    form = RoundForm(request.POST or None, pack=pack) if pack else None
    if request.method == "POST" and pack and form and form.is_valid():
        sent = form.cleaned_data
        try:
            production = order_round(pack, list(sent["sets"]), sent["title"], sent["kinds"], sent["after"])
            transaction.on_commit(partial(queue_task, MAKE, production.pk))
            messages.success(request, f"{sent['title']} is being made.")
            return redirect(f"{reverse('generated-rounds')}?pack={pack.slug}")
        except BenchmarkError as error:
            form.add_error("title", str(error))
    unmade = Production.objects.filter(order__round__isnull=False).exclude(state=ProductionState.DONE)
    facts = {
        "packs": packs,
        "pack": pack,
        "form": form,
        "rows": [_row(each) for each in RatingRound.objects.select_related("pack", "questions")],
        "unmade": unmade,
        "is_open": any(each.is_open for each in unmade),
    }
    return render(request, "generated/rounds.html", SECTION | facts, status=422 if form and form.errors else 200)


def _row(made: RatingRound) -> dict[str, Any]:
    """A round with the protocols that its questions can be asked by."""
    kinds = made.questions.items.order_by().values_list("kind", flat=True).distinct()
    protocols = [(WORDS[kind], study_name(made.pack.slug, kind)) for kind in WORDS if kind in kinds]
    sets = ClipSet.objects.filter(clips__asked__round=made).distinct()
    return {"round": made, "protocols": protocols, "sets": sets, "items": made.questions.items.count()}
