"""Inputs of a blind audit's probes: an item's words, its facets, a frame, its length or its file's size."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.definitions.registry import telling
from benchmarks.models import Clip, Item, RenditionKind
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import decoded, frames_of
from measures.estimate import standardised

Seen = NDArray[np.float64]
WORD = re.compile(r"[^\W\d_]+|\d+")
SMALL = (16, 12)  # pixels of a frame; enough for the layout
MEDIUM, MOTION = (96, 72), "uniform-32"  # pixels and pictures of a clip whose motion is measured
RARE = 0.15  # a word in fewer questions than this is a slot of their template
STORED = (RenditionKind.ORIGINAL, RenditionKind.PICTURE)
NOT_SEEN = ("caution", "split")


def item_words(item: Item) -> list[str]:
    """The words of question and options, folded."""
    text = " ".join([item.lead_in, item.text, *(str(option) for option in item.options)])
    return [word.casefold() for word in WORD.findall(text)]


def bag_of_words(items: Sequence[Item]) -> Seen:
    """A column for each word of two or more questions: whether the question contains it."""
    texts = [set(item_words(item)) for item in items]
    counted = Counter(word for text in texts for word in text)
    known = sorted(word for word, n in counted.items() if 1 < n < len(items))[:5000]
    return np.array([[word in text for word in known] for text in texts], float).reshape(len(items), len(known))


def templates(items: Sequence[Item]) -> list[str]:
    """The text of each question with its rare words and numbers taken out."""
    texts = [WORD.findall(item.text.casefold()) for item in items]
    counted = Counter(word for text in texts for word in set(text))
    least = max(2, RARE * len(items))
    return [" ".join(word if counted[word] >= least and not word.isdigit() else "_" for word in text) for text in texts]


def metadata(items: Sequence[Item]) -> Seen:
    """Facets that pages show, the number of options, and the size and rate of the clips."""
    hidden = telling(items[0].pack.benchmark) | set(NOT_SEEN)
    values = [{(facet.name, facet.value) for facet in item.facets.all() if facet.name not in hidden} for item in items]
    known = sorted({pair for pairs in values for pair in pairs})
    facets = [[pair in pairs for pair in known] for pairs in values]
    plain = [[len(item.options), len(item.media.all())] for item in items]
    clips = _by_clip(items, lambda clip: [clip.width, clip.height, clip.fps])
    return np.hstack([np.array(facets, float).reshape(len(items), len(known)), np.array(plain, float), clips])


def lengths(items: Sequence[Item]) -> Seen:
    return _by_clip(items, lambda clip: [clip.seconds, clip.frames])


def motion(items: Sequence[Item]) -> Seen:
    """The change between pictures of each clip, added up: over all items, and in a column for each of their tests."""
    known: dict[int, list[float]] = {}
    total = _by_clip(items, lambda clip: known.setdefault(clip.pk, _change(clip)))
    tests = [{facet.value for facet in item.facets.all() if facet.name == "test"} for item in items]
    names = sorted(set().union(*tests))
    return np.hstack([total, *(_within(total, np.array([name in own for own in tests])) for name in names)])


def _within(total: Seen, is_of_test: NDArray[np.bool_]) -> Seen:
    """The distance to the mean of the test in its standard deviations; 0 for items of other tests."""
    found = np.zeros_like(total)
    found[is_of_test] = standardised(total[is_of_test])
    return found


def _change(clip: Clip) -> list[float]:
    try:
        pictures = [one.picture for one in decoded(clip, MOTION)]  # not cached: too many for one number
    except (ClipUnreadable, OSError):
        return []
    small = np.stack([np.asarray(Image.fromarray(picture).convert("L").resize(MEDIUM), float) for picture in pictures])
    return [float(np.abs(np.diff(small, axis=0)).mean(axis=(1, 2)).sum() / 255)] if len(small) > 1 else []


def file_sizes(items: Sequence[Item]) -> Seen:
    """Bytes of the stored files; padded files of one size class are all the same."""
    return _by_clip(items, lambda clip: [file.size for kind in STORED for file in [clip.rendition(kind)] if file])


def frame(which: str) -> Callable[[Sequence[Item]], Seen]:
    """The first or last frame of each of the item's clips, small."""

    def pictures(items: Sequence[Item]) -> Seen:
        known: dict[int, list[float]] = {}
        return _by_clip(items, lambda clip: known.setdefault(clip.pk, _small(clip, which)))

    return pictures


def _small(clip: Clip, which: str) -> list[float]:
    try:
        pixels = frames_of(clip, which).pixels[0]
    except (ClipUnreadable, OSError):
        return []
    return list(np.asarray(Image.fromarray(pixels).resize(SMALL), float).ravel() / 255)


def _by_clip(items: Sequence[Item], seen: Callable[[Clip], list[float]]) -> Seen:
    """The features of each item's first and last clip, side by side; 0 where there is no clip."""
    rows = []
    for item in items:
        clips = [media.clip for media in item.media.all()]
        rows.append([seen(clip) for clip in (clips[:1] + clips[1:][-1:])])
    width = max((len(part) for row in rows for part in row), default=0)
    found = np.zeros((len(items), 2, width))
    for place, row in enumerate(rows):
        for side, part in enumerate(row):
            found[place, side, : len(part)] = part
    return found.reshape(len(items), 2 * width)
