"""Log-probabilities of a question's options: of their first tokens, or of the whole strings.

First tokens need only the pass over the prompt. Whole strings continue from its cache: one further call reads the
tokens of all options, or none is needed if each option is one token. An option is spelt as the item has it and with a
capital first letter; the probabilities of both spellings are added.
"""

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from evaluation.errors import ModelMisused

FIRST_TOKEN, WHOLE, PER_TOKEN = "first token", "whole string", "whole string, mean of its tokens"
WAYS = (FIRST_TOKEN, WHOLE, PER_TOKEN)
Spellings = list[list[int]]  # the tokens of each spelling


def way_named(wanted: str) -> str:
    if wanted not in WAYS:
        raise ModelMisused(f"option likelihood {wanted!r}: one of {'; '.join(WAYS)}")
    return wanted


def spellings_of(option: str, tokenizer: Any) -> Spellings:
    """The tokens of the option as the item has it and with a capital first letter."""
    texts = dict.fromkeys((option, option[:1].upper() + option[1:]))
    return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]


def tell_apart_at_once(options: Sequence[Spellings]) -> bool:
    """Whether no two options begin with the same token."""
    first = [{tokens[0] for tokens in spellings} for spellings in options]
    return sum(map(len, first)) == len(set().union(*first))


def of_first_tokens(scores: torch.Tensor, options: Sequence[Spellings]) -> list[float]:
    """The log-probability of each option's first tokens; `scores` are the logits after the prompt, [vocab]."""
    log_probs = torch.log_softmax(scores.double(), -1)
    first = ([*{tokens[0] for tokens in spellings}] for spellings in options)
    return [float(torch.logsumexp(log_probs[tokens], -1)) for tokens in first]


def is_one_token(options: Sequence[Spellings]) -> bool:
    """Whether every spelling is a single token, so that first tokens suffice."""
    return all(len(tokens) == 1 for spellings in options for tokens in spellings)


@torch.inference_mode()
def of_whole_strings(
    model: Any, past: Any, scores: torch.Tensor, options: Sequence[Spellings], *, per_token: bool
) -> list[float]:
    """The log-probability of each option's tokens after a prompt of one row; consumes its cache `past`.

    One call of the model reads the beginnings of all spellings, one row each; a beginning of another row needs no row.
    """
    rows = _rows(tokens[:-1] for spellings in options for tokens in spellings)
    first = torch.log_softmax(scores.double(), -1)
    after = torch.log_softmax(_continued(model, past, rows).double(), -1) if rows else first[None, None]

    def score(tokens: list[int]) -> float:
        row = next((row for row, read in enumerate(rows) if read[: len(tokens) - 1] == tokens[:-1]), 0)
        total = float(first[tokens[0]]) + sum(float(after[row][at][token]) for at, token in enumerate(tokens[1:]))
        return total / len(tokens) if per_token else total

    each = (torch.tensor([score(tokens) for tokens in spellings], dtype=torch.float64) for spellings in options)
    return [float(torch.logsumexp(totals, -1).clamp(max=0)) for totals in each]


def _rows(beginnings: Iterable[list[int]]) -> Spellings:
    """Each beginning once, without those that another one starts with."""
    longest_first = sorted((list(one) for one in {*map(tuple, beginnings)} if one), key=len, reverse=True)
    return [
        one for at, one in enumerate(longest_first) if not any(row[: len(one)] == one for row in longest_first[:at])
    ]


def _continued(model: Any, past: Any, rows: Spellings) -> torch.Tensor:
    """The logits after each token of each row, [rows, longest, vocab]; shorter rows are padded at their end."""
    length, longest = past.get_seq_length(), len(rows[0])
    inputs = torch.tensor([row + row[-1:] * (longest - len(row)) for row in rows], device=model.device)
    places = torch.arange(length, length + longest, device=model.device)
    if not all(hasattr(layer, "batch_repeat_interleave") for layer in past.layers):  # layers with another kind of state
        copies = [past, *(copy.deepcopy(past) for _ in rows[1:])]
        each = zip(inputs, copies, strict=True)
        return torch.cat([_called(model, row[None], one, places) for row, one in each])
    past.batch_repeat_interleave(len(rows))
    return _called(model, inputs, past, places)


def _called(model: Any, inputs: torch.Tensor, past: Any, places: torch.Tensor) -> torch.Tensor:
    return model(input_ids=inputs, past_key_values=past, cache_position=places, use_cache=True).logits
