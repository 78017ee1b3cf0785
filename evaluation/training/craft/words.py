"""Questions and answers as numbers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from benchmarks.definitions.craft_prompts import WANTED

PAD, UNKNOWN = 0, 1
# As torchtext's `basic_english`, which the original used: lower case, punctuation for itself.
TOKEN = re.compile(r"[\w-]+|[.,()!?']")


def question_of(text: str) -> str:
    """The question as released: models that were trained on CRAFT are not told which answers are possible."""
    question, _, wanted = text.rpartition("\n")
    return question if wanted in WANTED.values() else text


def tokens_of(question: str) -> list[str]:
    return TOKEN.findall(question.lower())


@dataclass(frozen=True)
class Vocabulary:
    """Words and answers of the training questions alone, sorted; the original took those of all splits."""

    words: tuple[str, ...]
    answers: tuple[str, ...]

    @classmethod
    def of(cls, questions: Iterable[str], answers: Iterable[str]) -> "Vocabulary":
        words = {token for question in set(questions) for token in tokens_of(question)}
        return cls(tuple(sorted(words)), tuple(sorted(set(answers))))

    @property
    def size(self) -> int:
        """Of the table of words: theirs, padding and what is not known."""
        return len(self.words) + 2

    def read(self, questions: Sequence[str]) -> "Words":
        """Padded on the right: on the left, as the original, the last words of short questions would be cut off."""
        places = {word: number for number, word in enumerate(self.words, 2)}
        rows = [[places.get(token, UNKNOWN) for token in tokens_of(question)] or [UNKNOWN] for question in questions]
        longest = max(map(len, rows))
        tokens = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
        return Words(tokens, torch.tensor([len(row) for row in rows]))


@dataclass(frozen=True, eq=False)
class Words:
    """Questions as numbers of words."""

    tokens: torch.Tensor  # int64 [questions, longest]
    lengths: torch.Tensor  # int64 [questions], on the CPU, where packing wants them

    def to(self, device: torch.device) -> "Words":
        return Words(self.tokens.to(device), self.lengths)

    @property
    def mask(self) -> torch.Tensor:
        """bool [questions, longest]: where there is a word."""
        return self.tokens != PAD
