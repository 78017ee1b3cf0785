"""The networks of the CRAFT paper (TVQA, TVQA+, MAC), and the network of a recipe.

Initial weights depend on a seed; those of an encoder may be read from a file.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.saved_network import filled, save_network, saved_values, weights_at
from extensions.training.craft.encoders import CELLS, WIDTH, Eye, Lstm, LstmCnn, QuestionBatch, QuestionReader
from extensions.training.craft.recipes import CraftRecipe
from extensions.training.craft.vocabulary import TokenBatch, Vocabulary


class Stem(nn.Module):
    """The encoder's maps -> knowledge [m, P, d]: two layers of 3 × 3 convolution, batch norm and ELU."""

    def __init__(self, channels: int, size: int, *, is_solid: bool) -> None:
        super().__init__()
        conv, norm = (nn.Conv3d, nn.BatchNorm3d) if is_solid else (nn.Conv2d, nn.BatchNorm2d)
        self.layers = nn.Sequential(
            conv(channels, size, 3, padding=1),
            norm(size),
            nn.ELU(),
            conv(size, size, 3, padding=1),
            norm(size),
            nn.ELU(),
        )

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.layers(maps).flatten(2).transpose(1, 2)


class Mac(nn.Module):
    """MAC: in each step, with shared weights, control attends to words, read to places, and write updates memory."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        size = recipe.size
        self.size, self.steps, self.drop = size, recipe.reasoning, recipe.dropout
        self.reader = QuestionReader(words, size, both_ways=True)
        self.eye = Eye(recipe)
        self.stem = Stem(self.eye.channels, size, is_solid=recipe.is_solid)
        self.word = nn.Linear(2 * size, size)
        self.positions = nn.ModuleList(nn.Linear(2 * size, size) for _ in range(recipe.reasoning))
        self.intend, self.attend_words = nn.Linear(2 * size, size), nn.Linear(size, 1)
        self.recall, self.look = nn.Linear(size, size), nn.Linear(2 * size, size)
        self.attend_places = nn.Linear(size, 1)
        self.write = nn.Linear(2 * size, size)
        self.control = nn.Parameter(torch.zeros(1, size))
        self.memory = nn.Parameter(torch.zeros(1, size))
        self.judge = nn.Sequential(nn.Linear(3 * size, size), nn.ELU(), nn.Linear(size, answers))
        self._draw()

    def _draw(self) -> None:
        """Initialise: uniform embeddings, Xavier for linear layers, Kaiming for layers before an ELU."""
        nn.init.uniform_(self.reader.embedding.weight, 0.0, 1.0)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        for module in (*self.stem.layers, self.judge[0]):
            if isinstance(module, nn.Conv2d | nn.Conv3d | nn.Linear):
                nn.init.kaiming_uniform_(module.weight)

    def forward(self, batch: QuestionBatch) -> torch.Tensor:
        pictures, which = batch.seen
        states, question = self.reader(batch.words)
        words = self.word(states)
        maps = self.eye(pictures)
        knowledge = self.stem(maps if self.eye.is_solid else maps[:, 0])[which] / self.size**0.5
        control = self.control.expand(len(words), -1)
        memory = self.memory.expand(len(words), -1)
        control_mask, memory_mask = self._dropout_mask(control), self._dropout_mask(memory)
        for position in self.positions:
            control = self._intended(control, position(question), words, batch.words.mask) * control_mask
            memory = self.write(torch.cat([self._read(control, memory, knowledge), memory], dim=1)) * memory_mask
        return self.judge(torch.cat([memory, question], dim=1))

    def _dropout_mask(self, like: torch.Tensor) -> torch.Tensor:
        """A dropout mask that is the same in all steps (Gal & Ghahramani 2016)."""
        return functional.dropout(torch.ones_like(like), self.drop, self.training)

    def _intended(
        self, control: torch.Tensor, question: torch.Tensor, words: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        wanted = self.intend(torch.cat([control, question], dim=1))
        weights = self.attend_words(wanted[:, None] * words)[..., 0].masked_fill(~mask, float("-inf")).softmax(1)
        return (weights[..., None] * words).sum(1)

    def _read(self, control: torch.Tensor, memory: torch.Tensor, knowledge: torch.Tensor) -> torch.Tensor:
        """[n, d], [n, d], [n, P, d] -> the part of the map that matches both control and memory [n, d]."""
        related = self.recall(memory)[:, None] * knowledge
        found = self.look(torch.cat([related, knowledge], dim=2)) * control[:, None]
        weights = self.attend_places(found)[..., 0].softmax(1)
        return (weights[..., None] * knowledge).sum(1)


class Tvqa(nn.Module):
    """One BiLSTM reads frames and words; each frame attends to the words; the maximum over frames is classified."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        size = recipe.size
        self.reader = QuestionReader(words, size, both_ways=True)
        self.eye = Eye(recipe)
        self.frame = nn.Sequential(nn.Dropout(recipe.dropout), nn.Linear(self.eye.channels * CELLS**2, size), nn.Tanh())
        self.fused = nn.LSTM(6 * size, size, batch_first=True, bidirectional=True)
        self.judge = nn.Sequential(
            nn.Linear(2 * size, size), nn.ReLU(), nn.Dropout(recipe.dropout), nn.Linear(size, answers)
        )

    def forward(self, batch: QuestionBatch) -> torch.Tensor:
        pictures, which = batch.seen
        words, _ = self.reader(batch.words)  # [n, L, 2d]
        frames = self.frame(self.eye.cells(pictures).flatten(2))  # [m, T, d]
        lengths = torch.full((len(frames),), frames.shape[1])
        seen = self.reader.run(frames, lengths)[0][which]  # [n, T, 2d]
        attention = attended(seen, words, batch.words.mask)
        joined, _ = self.fused(torch.cat([seen, attention, seen * attention], dim=2))
        return self.judge(joined.amax(1))


def attended(seen: torch.Tensor, words: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The words that match each frame, by dot product (BiDAF, Seo et al. 2017, context to query) [n, T, 2d]."""
    fits = (seen @ words.transpose(1, 2)).masked_fill(~mask[:, None], float("-inf"))
    return fits.softmax(2) @ words


MIDDLE = 300 / 256  # width of the first of two projections, relative to `size`
KERNEL, CONVOLUTIONS, SCALE = 7, 2, 10.0


class Projection(nn.Module):
    """Projects to `size` numbers through 300, with layer norms before, between and after."""

    def __init__(self, width_in: int, size: int, dropout: float) -> None:
        super().__init__()
        middle = round(MIDDLE * size)
        self.layers = nn.Sequential(
            nn.LayerNorm(width_in),
            nn.Dropout(dropout),
            nn.Linear(width_in, middle),
            nn.ReLU(),
            nn.LayerNorm(middle),
            nn.Dropout(dropout),
            nn.Linear(middle, size),
            nn.ReLU(),
            nn.LayerNorm(size),
        )

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return self.layers(vectors)


class Encoder(nn.Module):
    """Position encoding, then two depth-wise separable convolutions with residual connections; no attention."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(CONVOLUTIONS))
        self.deep = nn.ModuleList(
            nn.Conv1d(size, size, KERNEL, padding=KERNEL // 2, groups=size) for _ in range(CONVOLUTIONS)
        )
        self.across = nn.ModuleList(nn.Conv1d(size, size, 1) for _ in range(CONVOLUTIONS))
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """[n, L, d] -> [n, L, d]; positions outside the mask [n, L, 1] do not affect their neighbours."""
        found = vectors + places(vectors.shape[1], vectors.shape[2]).to(vectors.device)
        for norm, deep, across in zip(self.norms, self.deep, self.across, strict=True):
            seen = across(deep((norm(found) * mask).transpose(1, 2))).transpose(1, 2)
            found = found + self.dropout(torch.relu(seen))
        return found


class TvqaPlus(nn.Module):
    """Every word attends to the regions of every frame; words and frames are averaged."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        size = recipe.size
        self.reader = QuestionReader(words, size)
        self.eye = Eye(recipe)
        self.project_words = Projection(size, size, recipe.dropout)
        self.project_regions = Projection(self.eye.channels, size, recipe.dropout)
        self.encoder = Encoder(size, recipe.dropout)
        self.join = nn.Sequential(nn.Linear(3 * size, size), nn.ReLU())
        self.judge = nn.Linear(size, answers)

    def forward(self, batch: QuestionBatch) -> torch.Tensor:
        pictures, which = batch.seen
        words = self._word_vectors(batch.words)
        regions = self._regions(pictures)[which]
        attention = grounded(words, regions)  # [n, T, L, d]
        asking = words[:, None].expand_as(attention)
        joined = self.join(torch.cat([asking, attention, asking * attention], dim=3)).mean(
            1
        )  # over frames: all are whole
        mask = batch.words.mask[..., None]
        return self.judge((joined * mask).sum(1) / mask.sum(1))

    def _word_vectors(self, words: TokenBatch) -> torch.Tensor:
        """[n, L, d]."""
        return self.encoder(self.project_words(self.reader(words)[0]), words.mask[..., None])

    def _regions(self, pictures: torch.Tensor) -> torch.Tensor:
        """[m, T, R, d]: 5 × 5 places for each frame."""
        cells = self.eye.cells(pictures).flatten(3).transpose(2, 3)  # [m, T, R, c]
        known = self.project_regions(functional.normalize(cells, dim=3))
        whole = torch.ones(1, known.shape[2], 1, dtype=torch.bool, device=known.device)
        return self.encoder(known.flatten(0, 1), whole).unflatten(0, known.shape[:2])


def grounded(words: torch.Tensor, regions: torch.Tensor) -> torch.Tensor:
    """The regions that match each word in each frame, by cosine times 10 [n, T, L, d]."""
    fits = torch.einsum("nld,ntrd->ntlr", functional.normalize(words, dim=2), functional.normalize(regions, dim=3))
    return torch.einsum("ntlr,ntrd->ntld", (SCALE * fits).softmax(3), regions)


def places(length: int, size: int) -> torch.Tensor:
    """Sine and cosine position encoding (Vaswani et al. 2017, section 3.5) [length, size]."""
    waves = torch.exp(-math.log(10_000.0) * torch.arange(0, size, 2) / size)
    angles = torch.arange(length)[:, None] * waves
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)[:, :size]


NETWORKS: Mapping[str, Any] = {"lstm": Lstm, "lstm-cnn": LstmCnn, "mac": Mac, "tvqa": Tvqa, "tvqa+": TvqaPlus}
FILES = {True: "r3d_18*.pth", False: "resnet18*.pth"}  # torchvision's names, by whether the encoder takes a whole clip
NOT_OURS = ("layer4.", "fc.")  # layers that our encoders lack


def network_of(recipe: CraftRecipe, vocabulary: Vocabulary, seed: int = 0) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network: nn.Module = NETWORKS[recipe.family](recipe, vocabulary.size, len(vocabulary.answers))
    return network


def pretrained_file(recipe: CraftRecipe, folder: Path) -> Path:
    """The only weights file for this network's encoder; raises TrainingMisused unless there is exactly one."""
    if not recipe.sees or recipe.width != WIDTH:
        raise TrainingMisused("--backbones is for models in full size that see: smaller encoders have no such weights")
    pattern = FILES[recipe.is_solid]
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise TrainingMisused(f"{folder}: {len(found)} files {pattern}, one is wanted")
    return found[0]


def read_encoder(network: nn.Module, path: Path) -> None:
    """Load torchvision's weights into the encoder."""
    try:
        saved = weights_at(path, "cpu")
        weights = {name: value for name, value in saved.items() if not name.startswith(NOT_OURS)}
        network.eye.trunk.load_state_dict(weights)  # type: ignore[union-attr]
    except (OSError, RuntimeError, AttributeError, ValueError, EOFError) as error:
        raise TrainingMisused(f"{path}: not the weights of this encoder ({str(error).splitlines()[0]})") from None


@dataclass(frozen=True, eq=False)
class LoadedNetwork:
    """A saved network, ready to answer."""

    network: nn.Module
    vocabulary: Vocabulary
    recipe: CraftRecipe


def save(opened: LoadedNetwork, folder: Path) -> None:
    config = {"recipe": asdict(opened.recipe), "words": opened.vocabulary.words, "answers": opened.vocabulary.answers}
    save_network(opened.network, config, folder)


def opened(folder: Path) -> LoadedNetwork:
    config = saved_values(folder)
    recipe = CraftRecipe(**config["recipe"])
    vocabulary = Vocabulary(config["words"], config["answers"])
    return LoadedNetwork(filled(network_of(recipe, vocabulary), folder), vocabulary, recipe)
