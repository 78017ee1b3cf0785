"""The two kinds of network, late fusion and similarity, and what they share; built, saved and opened again."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from evaluation.adapters.transformers.loading import show_no_bars
from evaluation.adapters.weights import FROM_DISK
from evaluation.errors import ModelMisused
from extensions.training.core.saved_network import filled, save_network, saved_values
from extensions.training.pacs.backbones import KINDS, Backbone, fingerprint, opened, place_of, small, small_tokenizer
from extensions.training.pacs.inputs import Input, input_of
from extensions.training.pacs.recipes import BASELINES, CLAP, CLIP, FUSION, QUESTION, PacsBaseline, name_of

Vectors = Mapping[str, torch.Tensor]  # by part: [objects, width]; for CLIP [objects, crops, width]


class QuestionTooLong(ValueError):
    """A question does not fit into the model; questions are never truncated silently."""


class PairNetwork(nn.Module, ABC):
    """A network with backbones: new ones are trained; pretrained ones are frozen and in no state dict or checkpoint."""

    def __init__(self, backbones: Mapping[str, Backbone]) -> None:
        super().__init__()
        self.backbones = dict(backbones)
        self.drawn = nn.ModuleDict({part: one.model for part, one in backbones.items() if not one.source})
        found = {part: input_of(one, tuple(backbones)) for part, one in backbones.items()}
        self.inputs: dict[str, Input] = {part: one for part, one in found.items() if one is not None}
        self._said: dict[str, torch.Tensor] = {}  # question -> its vector, if the text backbone is frozen

    def moved(self, device: torch.device) -> None:
        """Move the frozen backbones to the device, too."""
        for one in self.backbones.values():
            one.model.to(device)

    def vectors(self, part: str, inputs: torch.Tensor) -> torch.Tensor:
        """Vectors [n, width] of the inputs of n objects."""
        backbone = self.backbones[part]
        if not backbone.source:
            return backbone.vectors(inputs)
        with torch.no_grad():
            return backbone.vectors(inputs).detach()

    def questions(self, texts: Sequence[str], device: torch.device) -> torch.Tensor:
        """Vectors [n, width] of questions; equal ones are encoded once, and cached if the text backbone is frozen."""
        different = list(dict.fromkeys(texts))
        places = torch.tensor([different.index(text) for text in texts], device=device)
        if self.word_backbone.source:
            if new := [text for text in different if text not in self._said]:
                with torch.no_grad():
                    self._said |= dict(zip(new, self.read(self.tokens(new).to(device)), strict=True))
            return torch.stack([self._said[text] for text in different])[places]
        return self.read(self.tokens(different).to(device))[places]

    def tokens(self, texts: Sequence[str]) -> Any:
        """Tokens of these texts; raises QuestionTooLong."""
        backbone = self.word_backbone
        tokenizer = getattr(backbone.reader, "tokenizer", backbone.reader)
        tokens = tokenizer(list(texts), padding=True, return_tensors="pt")
        config = getattr(backbone.model.config, "text_config", backbone.model.config)
        room, length = config.max_position_embeddings, tokens["input_ids"].shape[1]
        if length > room:
            longest = max(texts, key=len)
            raise QuestionTooLong(f"a question has {length} tokens, the model has room for {room}: {longest[:80]}")
        return tokens

    @property
    @abstractmethod
    def word_backbone(self) -> Backbone:
        """The backbone that reads questions."""

    @abstractmethod
    def read(self, tokens: Any) -> torch.Tensor:
        """[n, width] of tokens, before any layer on top of a frozen backbone."""

    @abstractmethod
    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """How much better the second object fits each question [n]; `first` and `second` are indices of objects."""

    @abstractmethod
    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The loss of these margins; `labels` are 1 for the second object and 0 for the first."""


def block(inputs: int, width: int, dropout: float) -> nn.Sequential:
    """[n, given] -> [n, width]: dropout, linear, layer norm, ReLU, as in PACS' own repository."""
    return nn.Sequential(nn.Dropout(dropout), nn.Linear(inputs, width), nn.LayerNorm(width), nn.ReLU())


class Head(nn.Module):
    """Decides from `parts`; `widths` are the widths of their vectors."""

    def __init__(self, parts: Sequence[str], widths: Mapping[str, int], width: int, dropout: float) -> None:
        super().__init__()
        self.shown = tuple(part for part in parts if part != QUESTION)
        self.norms = nn.ModuleDict({part: nn.BatchNorm1d(widths[part]) for part in parts})
        known = sum(widths[part] for part in self.shown)
        self.of_object = block(known, width, dropout) if len(self.shown) > 1 else None
        known = width if self.of_object else known
        self.of_both = block(known + widths[QUESTION], width, dropout) if QUESTION in parts else None
        self.answer = nn.Linear(2 * width, 1)

    def forward(
        self, objects: Vectors, questions: torch.Tensor | None, first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """One number for each question [n]; above 0 means the second object."""
        object_vectors = torch.cat([self.norms[part](objects[part]) for part in self.shown], dim=1)
        if self.of_object is not None:
            object_vectors = self.of_object(object_vectors)
        ends = [object_vectors[first], object_vectors[second]]
        if self.of_both is not None and questions is not None:
            question_vectors = self.norms[QUESTION](questions)
            ends = [self.of_both(torch.cat([end, question_vectors], dim=1)) for end in ends]
        return self.answer(torch.cat(ends, dim=1))[:, 0]


class LateFusion(PairNetwork):
    """Late fusion as trained in PACS (appendix 0.B.3.4): a vector per channel, joined by small blocks to one number.

    There is one head per set of channels; the heads share the backbones. With only one channel and the question there
    is no block for the object; without the question there is none for object and question.
    """

    def __init__(
        self, backbones: Mapping[str, Backbone], heads: Sequence[Sequence[str]], width: int, dropout: float
    ) -> None:
        super().__init__(backbones)
        widths = {part: one.width for part, one in backbones.items()}
        self.heads = nn.ModuleDict({name_of(parts): Head(parts, widths, width, dropout) for parts in heads})

    @property
    def word_backbone(self) -> Backbone:
        return self.backbones[QUESTION]

    def read(self, tokens: Any) -> torch.Tensor:
        return self.word_backbone.vectors(tokens)

    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        questions = self.questions(texts, first.device) if QUESTION in self.backbones else None
        scores: torch.Tensor = self.heads[head](objects, questions, first, second)
        return scores

    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Binary cross-entropy of the logits."""
        return functional.binary_cross_entropy_with_logits(margins, labels)


MARGIN = 1.0
# Weights of CLIP's six crops at inference: PACS' own repository adds all six, and the last one twice more.
CROPS = (1.0, 1.0, 1.0, 1.0, 1.0, 3.0)


class Comparing(PairNetwork):
    """CLIP, or AudioCLIP if CLAP is among the backbones: the object chosen is the more similar to the question.

    Appendix 0.B.4 and 0.B.5. Of pretrained CLIP only the text projection is trained, and with sound also the linear
    layer that joins picture and sound into one vector (512 + 1,024 numbers there; CLAP gives 512).
    """

    def __init__(self, backbones: Mapping[str, Backbone]) -> None:
        super().__init__(backbones)
        clip, hearing = self.backbones[CLIP], self.backbones.get(CLAP)
        # If CLIP is initialised here, its own projection is trained with everything else.
        self.projection = copy.deepcopy(clip.model.text_projection).requires_grad_(True) if clip.source else None
        self.joined = nn.Linear(clip.width + hearing.width, clip.width) if hearing else None

    @property
    def word_backbone(self) -> Backbone:
        return self.backbones[CLIP]

    def read(self, tokens: Any) -> torch.Tensor:
        return self.word_backbone.model.text_model(**tokens).pooler_output

    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """The difference of the two cosine similarities, -2 to 2; several crops are averaged with the weights CROPS."""
        project = self.projection or self.word_backbone.model.text_projection
        question_vectors = functional.normalize(project(self.questions(texts, first.device)), dim=-1)
        known = functional.normalize(self.embedded(objects), dim=-1)
        crops = torch.tensor(CROPS if known.shape[1] > 1 else (1.0,), device=known.device)
        alike = [(known[end] @ question_vectors[:, :, None])[..., 0] @ (crops / crops.sum()) for end in (first, second)]
        return alike[1] - alike[0]

    def embedded(self, objects: Vectors) -> torch.Tensor:
        """[objects, crops, width] of pictures, joined with sound if the network hears."""
        seen = objects[CLIP]
        if self.joined is None:
            return seen
        audio = objects[CLAP][:, None].expand(-1, seen.shape[1], -1)
        joined: torch.Tensor = self.joined(torch.cat([seen, audio], dim=-1))
        return joined

    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Equation 1: the right object must be more similar to the question than the wrong one, by MARGIN.

        A triplet loss whose distance is minus the cosine: max(0, MARGIN + cos(wrong) - cos(right)).
        """
        return functional.relu(MARGIN - margins * (2 * labels - 1)).mean()


def places_of(baseline: PacsBaseline, folder: Path | None, *, is_random: bool) -> dict[str, str]:
    """The source of each backbone's weights, '' for new ones; raises TrainingMisused."""
    return {part: "" if is_random else place_of(part, folder) for part in baseline.parts}


def made(
    baseline: PacsBaseline, places: Mapping[str, str], texts: Iterable[str], *, width: int, dropout: float, seed: int
) -> PairNetwork:
    """A new network; a seed fixes the initial weights. New backbones have the words of `texts` as vocabulary."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokenizer = small_tokenizer(texts)
        backbones = {
            part: opened(part, place) if place else Backbone(part, *small(part, tokenizer))
            for part, place in places.items()
        }
        return _network(baseline, backbones, width, dropout)


def _network(baseline: PacsBaseline, backbones: Mapping[str, Backbone], width: int, dropout: float) -> PairNetwork:
    if baseline.kind == FUSION:
        return LateFusion(backbones, baseline.heads, width, dropout)
    return Comparing(backbones)


def save(network: PairNetwork, baseline: PacsBaseline, folder: Path, *, width: int, dropout: float) -> None:
    """Save all trained weights in one file, configurations of new backbones, and sources and hashes of the others."""
    show_no_bars()
    sources = {}
    for part, one in network.backbones.items():
        if one.source:
            sources[part] = {"source": one.source, "weights": fingerprint(one.model)}
        else:
            one.model.config.save_pretrained(folder / part)
            one.reader.save_pretrained(folder / part)
    config = {"name": baseline.name, "width": width, "dropout": dropout, "sources": sources}
    save_network(network, config, folder)


def saved(folder: Path) -> tuple[PacsBaseline, PairNetwork]:
    """A saved network, ready to answer; raises ModelMisused."""
    config = saved_values(folder)
    if config.get("name") not in BASELINES:
        raise ModelMisused(f"{folder}: no model of pairs that was trained here")
    baseline, backbones = BASELINES[config["name"]], {}
    for part in baseline.parts:
        source = config["sources"].get(part)
        backbones[part] = _pretrained(part, source) if source else _untrained(part, folder / part)
    return baseline, filled(_network(baseline, backbones, config["width"], config["dropout"]), folder)


def _pretrained(part: str, sources: Mapping[str, str]) -> Backbone:
    found = opened(part, sources["source"])
    if fingerprint(found.model) != sources["weights"]:
        raise ModelMisused(f"{sources['source']}: other weights than those that the model was trained on")
    return found


def _untrained(part: str, folder: Path) -> Backbone:
    from transformers import AutoConfig

    kind = KINDS[part]
    model = kind.model(AutoConfig.from_pretrained(folder, **FROM_DISK))
    return Backbone(part, model, kind.reader.from_pretrained(folder, **FROM_DISK))
