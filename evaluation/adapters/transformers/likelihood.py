"""Log-probabilities of the options of a question: those of their first tokens, or of the whole strings.

First tokens cost the one pass over the prompt. Whole strings continue from its cache, so that only their own tokens are
added. An option is spelt as the item has it and with a capital letter; the probabilities of both spellings are added.
"""

import copy
from collections.abc import Sequence
from typing import Any

import torch

from evaluation.errors import ModelMisused

FIRST_TOKEN, WHOLE, PER_TOKEN = "first token", "whole string", "whole string, mean of its tokens"
WAYS = (FIRST_TOKEN, WHOLE, PER_TOKEN)
Spellings = list[list[int]]  # the tokens of each


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
    """The log-probability that the reply begins like each option; `scores` are the logits after the prompt, [vocab]."""
    log_probs = torch.log_softmax(scores.double(), -1)
    first = ([*{tokens[0] for tokens in spellings}] for spellings in options)
    return [float(torch.logsumexp(log_probs[tokens], -1)) for tokens in first]


@torch.inference_mode()
def of_whole_strings(
    model: Any, prompt: Any, scores: torch.Tensor, options: Sequence[Spellings], *, per_token: bool
) -> list[float]:
    """The log-probability of each option's tokens after a prompt of one row, whose cache is continued."""
    length = prompt.past_key_values.get_seq_length()
    found = []
    for spellings in options:
        sums = [_continued(model, prompt.past_key_values, length, scores, tokens) for tokens in spellings]
        each = [total / len(tokens) if per_token else total for total, tokens in zip(sums, spellings, strict=True)]
        found.append(float(torch.logsumexp(torch.tensor(each, dtype=torch.float64), -1).clamp(max=0)))
    return found


def _continued(model: Any, past: Any, length: int, scores: torch.Tensor, tokens: Sequence[int]) -> float:
    """The sum of the tokens' log-probabilities after the prompt."""
    rows = scores[None]
    if len(tokens) > 1:
        inputs = torch.tensor([tokens[:-1]], device=scores.device)
        places = torch.arange(length, length + len(tokens) - 1, device=scores.device)
        output = model(input_ids=inputs, past_key_values=copy.deepcopy(past), cache_position=places, use_cache=True)
        rows = torch.cat([rows, output.logits[0].to(rows.dtype)])
    log_probs = torch.log_softmax(rows.double(), -1)
    return float(log_probs[range(len(tokens)), list(tokens)].sum())
