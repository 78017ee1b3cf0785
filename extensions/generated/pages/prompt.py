"""The page of one prompt: the clips of all generators side by side, once people's answers are in."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from extensions.generated.models import GeneratedClip, GeneratorRole
from extensions.generated.naming import are_named
from extensions.generated.pages.figures import number, shapes_of
from extensions.generated.pages.views import SECTION, address_of, chosen_column
from extensions.generated.rating.pages import WHAT_BREAKS
from extensions.generated.scores.answers import Answerer, FirstBreak, RoundAnswers
from extensions.generated.scores.columns import ScoreColumn

KIND_WORDS = {button.value: str(button.anchor)[:1].lower() + str(button.anchor)[1:] for button in WHAT_BREAKS.buttons}


def prompt(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """No page while a study could still ask about a clip of the round: it names generators."""
    address = address_of(request, slug)
    pack = address.pack
    if address.round is None or not are_named(GeneratedClip.objects.filter(asked__round=address.round)):
        raise Http404("no such page yet")
    column = chosen_column(address.columns, request.GET.get("dimension", ""))
    facts = address.cached(f"prompt {key} {column.name}", lambda: _cards(address.answers(), key, column))
    if not facts:
        raise Http404("no clip of this prompt")
    keys, prompt = facts["keys"], pack.prompts.get(key=key)
    at = keys.index(key)
    facts |= {"pack": pack, "prompt": prompt, "address": address, "columns": address.columns, "column": column}
    facts |= {
        "place": at + 1,
        "before": keys[at - 1] if at else "",
        "after": keys[at + 1] if at + 1 < len(keys) else "",
    }
    return render(request, "generated/prompt.html", SECTION | facts)


def _cards(answers: RoundAnswers, key: str, column: ScoreColumn) -> dict[str, Any]:
    """The clips of this prompt, those of generators first, by people's mean of each."""
    found = answers.found
    if key not in found.prompts:
        return {}
    clips = np.flatnonzero(found.prompt_of == found.prompts.index(key)).tolist()
    cards = [_card(answers, clip, column) for clip in clips]
    cards.sort(key=lambda card: (-card["mean"], card["row"].title, card["clip"].take))
    roles = {role: [card for card in cards if card["row"].role == role] for role in GeneratorRole}
    marked = {card["row"].slug for card in roles[GeneratorRole.GENERATOR] if card["is_marked"]}
    return {
        "keys": list(found.prompts),
        "cards": roles.pop(GeneratorRole.GENERATOR),
        "lines": [card for role in roles.values() for card in role],
        "marked": len(marked),
        "generators": len(found.ranked),
        "has_marks": any(one.answers.marks for one in answers.answerers),
    }


def _card(answers: RoundAnswers, clip: int, column: ScoreColumn) -> dict[str, Any]:
    found, shapes = answers.found, shapes_of(answers.answerers, is_published=False)
    made, row, truth = found.clips[clip], found.rows[found.row_of[clip]], found.truths[clip]
    seconds = float(made.facts.get("seconds") or 0)
    texts_by_answerer = [(one, list(_answer_texts(one, clip, column))) for one in answers.answerers]
    steps = [float(step) for _, texts in texts_by_answerer[:1] for step in texts if step.replace(".", "").isdigit()]
    marks = [(one, [mark for mark in one.answers.marks if mark.clip == clip]) for one in answers.answerers]
    onset = truth.get("onset") if truth and truth["is_broken"] else None
    words = [
        "; ".join(filter(None, (_words(texts), _mark_words(one, clip, own) if _raters_of_break(one, clip) else "")))
        for (one, texts), (_, own) in zip(texts_by_answerer, marks, strict=True)
    ]
    return {
        "row": row,
        "clip": made,
        "file": reverse("generated-clip", args=[row.slug, made.pk]),
        "mean": sum(steps) / len(steps) if steps else 0.0,
        "said": [(shape, text) for shape, text in zip(shapes, words, strict=True) if text],
        "lanes": [
            (shape, [_mark(mark, seconds) for mark in own])
            for shape, (_, own) in zip(shapes, marks, strict=True)
            if own and seconds
        ],
        "truth": _truth_words(truth),
        "onset": f"{100 * min(1.0, onset / seconds):.1f}" if onset is not None and seconds else "",
        "seconds": seconds,
        "is_marked": any(2 * len(own) >= _raters_of_break(one, clip) > 0 for one, own in marks[:1]),
    }


def _answer_texts(one: Answerer, clip: int, column: ScoreColumn) -> Iterator[str]:
    """Each answer about a clip in the column's dimensions."""
    own = (one.answers.clips == clip) & np.isin(one.answers.dimensions, column.dimensions)
    for value, cant_tell in zip(one.answers.values[own], one.answers.cant_tell[own], strict=True):
        yield "can’t tell" if cant_tell else "unread" if np.isnan(value) else f"{value:g}"


def _words(texts: list[str]) -> str:
    steps = [float(text) for text in texts if text[:1].isdigit()]
    return f"{number(sum(steps) / len(steps))}: {', '.join(texts)}" if len(texts) > 1 and steps else ", ".join(texts)


def _raters_of_break(one: Answerer, clip: int) -> int:
    """How many could tell whether the clip has a break."""
    broken = one.answers.wanted.shape[1] - 2
    own = (one.answers.clips == clip) & (one.answers.dimensions == broken)
    return int(np.sum(~np.isnan(one.answers.values[own])))


def _mark_words(one: Answerer, clip: int, marks: list[FirstBreak]) -> str:
    raters = _raters_of_break(one, clip)
    if not marks:
        return f"{raters} of {raters} say no break"
    each = (f"{mark.seconds:.1f} s {KIND_WORDS.get(mark.kind, mark.kind)}, severity {mark.severity}" for mark in marks)
    return f"{len(marks)} of {raters} mark a break: {'; '.join(each)}"


def _mark(mark: FirstBreak, seconds: float) -> dict[str, Any]:
    return {"x": f"{100 * min(1.0, mark.seconds / seconds):.1f}", "size": mark.severity}


def _truth_words(truth: Any) -> str:
    if truth is None:
        return ""
    if not truth["is_broken"]:
        return "no break"
    onset = f"{truth['onset']:.1f} s " if truth.get("onset") is not None else ""
    kind = truth.get("kind") or "broken"
    return f"{onset}{KIND_WORDS.get(kind, kind)}, severity {truth.get('severity', '–')}"
