"""ResNet-18 (He et al. 2016, CVPR, table 1) and R3D-18 (Tran et al. 2018, CVPR, table 1) from their definitions.

Parts are named as in torchvision, so that its weights can be loaded. CRAFT's baselines cut both after the third
residual stage (the authors' "4 layers"), with 4 × `width` channels: ResNet-18 gives [n, 256, H/16, W/16], R3D-18
[n, 256, T/4, H/8, W/8], halves rounded up.
"""

from collections import OrderedDict

import torch
from torch import nn

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
