"""Parts shared by the networks: the question reader and the clip encoder. LSTM and LSTM-CNN consist of these alone.

ResNet-18 (He et al. 2016, CVPR, table 1) and R3D-18 (Tran et al. 2018, CVPR, table 1) are built from their definitions,
with parts named as in torchvision, so that its weights can be loaded. CRAFT's baselines cut both after the third
residual stage (the authors' "4 layers"), with 4 × `width` channels: ResNet-18 gives [n, 256, H/16, W/16], R3D-18
[n, 256, T/4, H/8, W/8], halves rounded up.

Shapes: n questions of L words about m videos of T frames; d is `size` (256), c the encoder's channels (256).
"""

from collections import OrderedDict
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from extensions.training.craft.recipes import CraftRecipe
from extensions.training.craft.vocabulary import PAD, TokenBatch

WIDTH = 64  # channels of the first stage in both papers
BLOCKS = 2  # in each stage
IMAGE_NET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))  # ImageNet's mean and standard deviation, 0 to 1
KINETICS = ((0.43216, 0.394666, 0.37645), (0.22803, 0.22145, 0.216989))


class FlatBlock(nn.Module):
    """Two 3 × 3 convolutions added to the identity, or to a 1 × 1 convolution if the shape changes."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = (
            None
            if stride == 1 and channels == out
            else nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        )

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        beside = maps if self.downsample is None else self.downsample(maps)
        found = torch.relu(self.bn1(self.conv1(maps)))
        return torch.relu(self.bn2(self.conv2(found)) + beside)


class SolidBlock(nn.Module):
    """FlatBlock with 3 × 3 × 3 convolutions over time, height and width."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = _solid(channels, out, stride)
        self.conv2 = _solid(out, out, 1)
        self.downsample = (
            None
            if stride == 1 and channels == out
            else nn.Sequential(nn.Conv3d(channels, out, 1, stride, bias=False), nn.BatchNorm3d(out))
        )

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        beside = maps if self.downsample is None else self.downsample(maps)
        return torch.relu(self.conv2(torch.relu(self.conv1(maps))) + beside)


def _solid(channels: int, out: int, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv3d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm3d(out))


def _stages(block: type[nn.Module], width: int, number: int) -> list[tuple[str, nn.Module]]:
    """`layer1` to `layerN`; each after the first halves the map and doubles the channels."""
    found: list[tuple[str, nn.Module]] = []
    channels = width
    for stage in range(number):
        out = width * 2**stage
        first = block(channels, out, 1 if stage == 0 else 2)
        found.append((f"layer{stage + 1}", nn.Sequential(first, *(block(out, out, 1) for _ in range(BLOCKS - 1)))))
        channels = out
    return found


def resnet18(width: int = WIDTH, stages: int = 3) -> nn.Sequential:
    """Pictures [n, 3, H, W] -> maps [n, width·2^(stages-1), H/2^(stages+1), W/2^(stages+1)]."""
    return nn.Sequential(
        OrderedDict(
            [
                ("conv1", nn.Conv2d(3, width, 7, 2, 3, bias=False)),
                ("bn1", nn.BatchNorm2d(width)),
                ("relu", nn.ReLU()),
                ("maxpool", nn.MaxPool2d(3, 2, 1)),
                *_stages(FlatBlock, width, stages),
            ]
        )
    )


def r3d18(width: int = WIDTH, stages: int = 3) -> nn.Sequential:
    """Clips [n, 3, T, H, W] -> maps [n, width·2^(stages-1), T/2^(stages-1), H/2^stages, W/2^stages]."""
    stem = nn.Sequential(
        nn.Conv3d(3, width, (3, 7, 7), (1, 2, 2), (1, 3, 3), bias=False), nn.BatchNorm3d(width), nn.ReLU()
    )
    return nn.Sequential(OrderedDict([("stem", stem), *_stages(SolidBlock, width, stages)]))


CELLS = 5  # width and height to which maps are pooled
MOMENTS = 13  # of R3D-18's map of 50 frames; a shorter clip's map has fewer
STEPS_IN_TIME = 4  # frames that R3D-18 reduces to one moment


@dataclass(frozen=True, eq=False)
class QuestionBatch:
    """Questions with their pictures; `which` gives the video of each question."""

    words: TokenBatch
    pictures: torch.Tensor | None = None  # uint8 [m, T, 3, edge, edge]
    which: torch.Tensor | None = None  # int64 [n], numbers of videos

    @property
    def seen(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Pictures and the video of each question; raises ValueError if there are none."""
        if self.pictures is None or self.which is None:
            raise ValueError("this network sees videos, and was given none")
        return self.pictures, self.which

    def to(self, device: torch.device) -> "QuestionBatch":
        pictures, which = (None if part is None else part.to(device) for part in (self.pictures, self.which))
        return QuestionBatch(self.words.to(device), pictures, which)


class QuestionReader(nn.Module):
    """Embedding and LSTM; states of padding are zeros."""

    def __init__(self, words: int, size: int, *, both_ways: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size, PAD)
        self.lstm = nn.LSTM(size, size, batch_first=True, bidirectional=both_ways)

    def forward(self, words: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """States of all words [n, L, d] and the last one [n, d]; 2d if the LSTM is bidirectional."""
        return self.run(self.embedding(words.tokens), words.lengths)

    def run(self, vectors: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """States of all vectors [n, L, d], which need not be word embeddings, and the last state."""
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, (last, _) = self.lstm(packed)
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=vectors.shape[1])
        return padded, last.transpose(0, 1).flatten(1)


class Eye(nn.Module):
    """ResNet-18 for pictures or frame by frame, R3D-18 for whole clips; both end after three stages."""

    mean: torch.Tensor
    spread: torch.Tensor

    def __init__(self, recipe: CraftRecipe) -> None:
        super().__init__()
        self.is_solid, self.channels = recipe.is_solid, 4 * recipe.width
        self.trunk = r3d18(recipe.width) if self.is_solid else resnet18(recipe.width)
        mean, spread = KINETICS if self.is_solid else IMAGE_NET
        self.register_buffer("mean", torch.tensor(mean).view(3, 1, 1), persistent=False)
        self.register_buffer("spread", torch.tensor(spread).view(3, 1, 1), persistent=False)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """uint8 [m, T, 3, H, W] -> maps [m, c, T/4, H/8, W/8], or frame by frame [m, T, c, H/16, W/16]."""
        seen = (pictures.float() / 255 - self.mean) / self.spread
        if self.is_solid:
            return self.trunk(seen.transpose(1, 2))
        videos, frames = seen.shape[:2]
        return self.trunk(seen.flatten(0, 1)).unflatten(0, (videos, frames))

    def cells(self, pictures: torch.Tensor) -> torch.Tensor:
        """Maps of each frame, pooled to 5 × 5 [m, T, c, 5, 5]."""
        maps = self(pictures)
        return functional.adaptive_avg_pool2d(maps.flatten(0, 1), CELLS).unflatten(0, maps.shape[:2])


class Lstm(nn.Module):
    """LSTM: the last state of the question, dropout, answers."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        self.reader = QuestionReader(words, recipe.size)
        self.judge = nn.Sequential(nn.Dropout(recipe.dropout), nn.Linear(recipe.size, answers))

    def forward(self, batch: QuestionBatch) -> torch.Tensor:
        return self.judge(self.reader(batch.words)[1])


class LstmCnn(nn.Module):
    """LSTM-CNN: the question's last state joined with the pooled map of a picture (c·25) or a clip (c·13·25)."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        self.reader, self.eye = QuestionReader(words, recipe.size), Eye(recipe)
        moments = min(MOMENTS, -(-recipe.frames // STEPS_IN_TIME)) if recipe.is_solid else 1
        self.pool = nn.AdaptiveAvgPool3d((moments, CELLS, CELLS))
        self.dropout = nn.Dropout(recipe.dropout)
        wide = recipe.size + self.eye.channels * moments * CELLS**2
        self.judge = nn.Sequential(
            nn.Linear(wide, recipe.size),
            nn.ReLU(),
            nn.Linear(recipe.size, recipe.size),
            nn.ReLU(),
            nn.Linear(recipe.size, answers),
        )

    def forward(self, batch: QuestionBatch) -> torch.Tensor:
        pictures, which = batch.seen
        maps = self.eye(pictures)
        maps = maps if self.eye.is_solid else maps.transpose(1, 2)  # [m, c, T, H, W]
        seen = self.pool(maps).flatten(1)[which]
        read = self.reader(batch.words)[1]
        return self.judge(torch.cat([self.dropout(read), self.dropout(seen)], dim=1))
