"""Enforces each request's limits on its reply: thoughts end at their budget, and the answer is one of the options."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import LogitsProcessor

from evaluation.adapters.base import Request
from evaluation.adapters.transformers.likelihood import spellings_of
from evaluation.errors import ModelMisused
from evaluation.replies import OPENING

SWITCHES = ("enable_thinking", "thinking")  # variables of chat templates that switch thoughts on and off
CLOSED_BY = {"[THINK]": "[/THINK]", "◁think▷": "◁/think▷", "<|START_THINKING|>": "<|END_THINKING|>"}
Tokens = tuple[int, ...]


@dataclass(frozen=True)
class ReplyRule:
    """The limits of one reply; `opening` and `closing` are the tokens around thoughts, () for a model without.

    With `budget` the thoughts have at most that many tokens; with `options` the answer is one of them.
    """

    is_opened: bool
    opening: Tokens
    closing: Tokens
    ends: Tokens
    budget: int | None = None
    options: tuple[Tokens, ...] = ()

    def allowed(self, tokens: Tokens) -> Sequence[int] | None:
        """The tokens that may follow; None for any."""
        answer = self._answer_in(tokens)
        if answer is None:
            is_over = self.budget is not None and len(tokens) >= self.budget
            return [self._next_of_closing(tokens)] if is_over else None
        if not self.options:
            return None
        follow = {
            option[len(answer)]
            for option in self.options
            if option[: len(answer)] == answer and len(option) > len(answer)
        }
        return [*follow, *(self.ends if not follow or answer in self.options else ())]

    def _answer_in(self, tokens: Tokens) -> Tokens | None:
        """The answer so far; None while thoughts are open."""
        if self.closing and (place := _place_of(self.closing, tokens)) is not None:
            return tokens[place + len(self.closing) :]
        is_open = self.is_opened or (bool(self.opening) and _place_of(self.opening, tokens) is not None)
        return None if is_open else tokens

    def _next_of_closing(self, tokens: Tokens) -> int:
        known = next(n for n in range(len(self.closing) - 1, -1, -1) if tokens[len(tokens) - n :] == self.closing[:n])
        return self.closing[known]


class Constrained(LogitsProcessor):
    """Masks the scores of each row, so that only the tokens allowed by its rule remain; prompts have `start` tokens."""

    def __init__(self, start: int, rules: Sequence[ReplyRule]) -> None:
        self.start, self.rules = start, rules

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        allowed_scores = scores.clone()
        for row, (rule, tokens) in enumerate(zip(self.rules, input_ids[:, self.start :].tolist(), strict=True)):
            if (allowed := rule.allowed(tuple(tokens))) is not None:
                allowed_scores[row] = float("-inf")
                allowed_scores[row, list(allowed)] = scores[row, list(allowed)]
        return allowed_scores  # type: ignore[return-value]


def rule_for(
    request: Request, speaker: Any, template: str, ends: Tokens, *, is_opened: bool, chooses: bool
) -> ReplyRule:
    """The rule of a request's next reply."""
    opening, closing = markers_in(template)
    budget = request.thinking if _is_number(request.thinking) else None
    if budget is not None and not closing:
        raise ModelMisused("the model's chat template names no marker that ends thoughts: their budget can't be held")
    spellings = [tokens for option in request.options for tokens in spellings_of(option, speaker)] if chooses else []
    opened, closed = (_tokens(marker, speaker) for marker in (opening, closing))
    return ReplyRule(is_opened, opened, closed, ends, budget, tuple(tuple(tokens) for tokens in spellings))


def markers_in(template: str) -> tuple[str, str]:
    """The markers around thoughts that this chat template writes; two times '' if it writes none."""
    found = OPENING.search(template)
    if found is None:
        return "", ""
    closing = CLOSED_BY.get(found[0]) or (f"</{found[0][1:]}" if re.fullmatch(r"<[\w:]+>", found[0]) else "")
    return found[0], closing


def switch_in(template: str) -> str:
    """The variable that switches thoughts on and off in this chat template; '' for none."""
    return next((name for name in SWITCHES if re.search(rf"\b{name}\b", template)), "")


def thinking_options(thinking: bool | int | None, template: str) -> dict[str, bool]:
    """Options of the chat template for this setting of a run; raises ModelMisused if the template can't do it."""
    if thinking is None:
        return {}
    wanted, name = thinking is not False, switch_in(template)
    if name:
        return {name: wanted}
    always = bool(OPENING.search(template))
    if wanted != always:
        state = "always thinks" if always else "never thinks"
        raise ModelMisused(f"the model {state}: its chat template reads no switch ({' or '.join(SWITCHES)})")
    return {}


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _tokens(marker: str, speaker: Any) -> Tokens:
    return tuple(speaker(marker, add_special_tokens=False)["input_ids"]) if marker else ()


def _place_of(part: Tokens, whole: Tokens) -> int | None:
    """The last position of the part in the whole; None if it is absent."""
    places = range(len(whole) - len(part), -1, -1)
    return next((place for place in places if whole[place : place + len(part)] == part), None)
