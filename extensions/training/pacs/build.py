"""Builds a baseline's network from pretrained or new backbones, saves it as a folder and opens it again."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import torch

from evaluation.adapters.transformers.loading import show_no_bars
from evaluation.adapters.weights import FROM_DISK
from evaluation.errors import ModelMisused
from extensions.training.core.saved_network import filled, save_network, saved_values
from extensions.training.pacs.backbones import KINDS, Backbone, fingerprint, opened, place_of, small, small_tokenizer
from extensions.training.pacs.network import Comparing, LateFusion, PairNetwork
from extensions.training.pacs.recipes import BASELINES, FUSION, PacsBaseline


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
