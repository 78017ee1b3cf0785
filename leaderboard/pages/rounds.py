"""Page of sealed rounds: commitments, revealed seeds, and the difference between public and fresh scores."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from benchmarks.gallery.page_cache import cached_body
from leaderboard.board.cache import version_of_items
from leaderboard.models import SealedRound
from leaderboard.pages.boards import benchmark_or_404
from leaderboard.rounds.commitment import number_of, text_of
from leaderboard.rounds.fresh_scores import rows_of


def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = benchmark_or_404(slug)
    found = list(SealedRound.objects.filter(public__benchmark=slug).select_related("public", "fresh"))
    states = " ".join(f"{one.pk}:{one.fresh_id}:{one.opened_at}:{one.revealed_at}" for one in found)
    body = cached_body(f"rounds:{slug}:{states}", version=version_of_items(), make=lambda: _body(found))
    return render(request, "leaderboard/rounds.html", {"section": "boards", "benchmark": benchmark, "body": body})


def _body(found: list[SealedRound]) -> str:
    return render_to_string("leaderboard/parts/rounds_body.html", {"rounds": [_context_of(one) for one in found]})


def _context_of(one: SealedRound) -> dict[str, Any]:
    number = number_of(one.seed, one.value) if one.seed else None
    facts = {"definition": text_of(one.definition), "withdrawn": list(one.withdrawn)}
    return {"of": one, "rows": rows_of(one), "number": number, **facts}
