"""Questions and answers as numbers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from benchmarks.definitions.papers.craft import WANTED

PAD, UNKNOWN = 0, 1
# Like torchtext's `basic_english`, which the original used: lower case, punctuation as separate tokens.
TOKEN = re.compile(r"[\w-]+|[.,()!?']")


def question_of(text: str) -> str:
    """The question as released: models trained on CRAFT do not get the possible answers."""
    question, _, wanted = text.rpartition("\n")
    return question if wanted in WANTED.values() else text


def tokens_of(question: str) -> list[str]:
    return TOKEN.findall(question.lower())


@dataclass(frozen=True)
class Vocabulary:
    """Sorted words and answers of the training questions only; the original used those of all splits."""

    words: tuple[str, ...]
    answers: tuple[str, ...]

    @classmethod
    def of(cls, questions: Iterable[str], answers: Iterable[str]) -> "Vocabulary":
        words = {token for question in set(questions) for token in tokens_of(question)}
        return cls(tuple(sorted(words)), tuple(sorted(set(answers))))

    @property
    def size(self) -> int:
        """Size of the embedding table: the words, padding and the unknown word."""
        return len(self.words) + 2

    def read(self, questions: Sequence[str]) -> "TokenBatch":
        """Word numbers padded on the right; with the original's left padding, short questions lose their last words."""
        places = {word: number for number, word in enumerate(self.words, 2)}
        rows = [[places.get(token, UNKNOWN) for token in tokens_of(question)] or [UNKNOWN] for question in questions]
        longest = max(map(len, rows))
        tokens = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
        return TokenBatch(tokens, torch.tensor([len(row) for row in rows]))


@dataclass(frozen=True, eq=False)
class TokenBatch:
    """Questions as word numbers."""

    tokens: torch.Tensor  # int64 [questions, longest]
    lengths: torch.Tensor  # int64 [questions], on the CPU, as packing needs them

    def to(self, device: torch.device) -> "TokenBatch":
        return TokenBatch(self.tokens.to(device), self.lengths)

    @property
    def mask(self) -> torch.Tensor:
        """bool [questions, longest]: True for words."""
        return self.tokens != PAD
