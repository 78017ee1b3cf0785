"""A trained baseline of CRAFT becomes a model of the site, and its card says what it learnt from and what it uses."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluation.models import Model
from evaluation.training.craft.looking import Compared, verdict
from evaluation.training.craft.recipes import BASELINES, SEEN, SETTINGS, CraftRecipe
from evaluation.training.folders import CURVE, Trained
from evaluation.training.registering import movable

KIND = "craft-network"
FAMILIES = {
    "lstm": "LSTM", "lstm-cnn": "LSTM and CNN", "mac": "MAC", "tvqa": "TVQA", "tvqa+": "TVQA+",
}  # fmt: skip
WHAT = (
    "{title} of the CRAFT paper, built after its description and trained here on generated scenes: {clips} videos of"
    " the pack {pack}, seed {seed}{size}. It sees {seen}. Asked about either setting it answers with the network that"
    " learnt that setting's training split."
)
SMALL = ", in a small size of ours (the paper's needs a GPU)"


def register(name: str, slug: str, trained: Trained, recipe: CraftRecipe) -> Model:
    """Make or renew the model; runs of older weights keep their revision."""
    facts, title = trained.facts, BASELINES[name].title
    asked_on = {f"{setting}-test": f"{setting}-train" for setting in SETTINGS}
    model, _ = Model.objects.update_or_create(
        slug=slug,
        defaults={
            "name": title if facts["size"] == "small" else f"{title} ({facts['size']})",
            "kind": KIND,
            "options": {"path": movable(trained.path), "asked_on": asked_on},
            "revision": facts["weights"],
            "made_here": True,
            "card": card_of(title, trained, recipe),
        },
    )
    return model


def card_of(title: str, trained: Trained, recipe: CraftRecipe) -> dict[str, Any]:
    facts, settings = trained.facts, trained.facts["settings"]
    what = WHAT.format(
        title=title, clips=facts["clips"], pack=facts["pack"], seed=facts["seed"], seen=SEEN[recipe.sees],
        size=SMALL if facts["size"] == "small" else "",
    )  # fmt: skip
    asked = "; ".join(f"{one['questions']['train']} questions of {setting}-train" for setting, one in settings.items())
    compared = _compared(settings)
    verdicts = {setting: verdict(rows[0]) for setting, rows in compared.items()}
    card = {
        "what": " ".join([what, *(f"In the {setting} setting it {said}." for setting, said in verdicts.items())]),
        "organisation": "this site",
        "family": FAMILIES[recipe.family],
        "parameters": f"{facts['parameters'] / 1e6:.2f}M",
        "trained_on": f"{asked}, pack {facts['pack']}",
        "training": "; ".join(
            f"{setting}: {one['steps']} steps in {one['seconds']:.0f} seconds on {one['device']}, best on validation"
            f" at step {one['best_step']} ({100 * one['best']:.1f} %)"
            for setting, one in settings.items()
        ),
        "size": facts["size"],
        "seed": facts["seed"],
        "encoder": _encoder(recipe, facts["encoder_file"]),
        "curves": {setting: f"{movable(trained.path)}/{setting}/{CURVE}" for setting in settings},
        "compared": {setting: [asdict(row) | {"said": row.said} for row in rows] for setting, rows in compared.items()},
    }
    return {name: value for name, value in card.items() if value != "" and value != {}}


def _compared(settings: Mapping[str, Any]) -> dict[str, list[Compared]]:
    """By setting: all questions, then each question type."""
    return {
        setting: [Compared(**row) for row in one["looking"]] for setting, one in settings.items() if "looking" in one
    }


def _encoder(recipe: CraftRecipe, file: str) -> str:
    if not recipe.sees:
        return ""
    name = "R3D-18" if recipe.is_solid else "ResNet-18"
    width = "" if recipe.width == 64 else f" of width {recipe.width} in place of 64"
    first = f"pretrained weights {file}" if file else "first weights drawn here"
    return f"{name}{width}, {first}, trained on with the rest"
