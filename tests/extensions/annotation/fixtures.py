"""Material for annotation, and studies on it that simulated annotators take part in."""

from benchmarks.models import Pack, RenditionKind
from humantrials.models import Participant, Trial
from humantrials.running.lifecycle import create_trial, open_trial
from tests.factories import make_clip, make_pack
from tests.humantrials.inside_crowd import simulate

MATERIALS = ("foam", "textile", "paper", "rubber", "plastic", "wood", "ceramic", "glass", "stone", "metal")


def material_pack(clips: int) -> Pack:
    """Clips with descriptions, like those of `tapped`; each has a picture of its middle frame."""
    pack = make_pack(benchmark="tapped")
    for number in range(clips):
        facts = {"box": [200, 100, 700, 600], "box_in": [1280, 720], "materials": [MATERIALS[number % 10]]}
        clip = make_clip(pack, key=f"object{number:04}", width=640, height=360, facts=facts)
        clip.renditions.create(kind=RenditionKind.POSTER, name=f"poster{clip.pk}.jpg", sha256=clip.sha256, size=1)
    return pack


def annotation_trial(clips: int = 12, *, seed: int = 1, slug: str = "made", **settings: object) -> Trial:
    pack, kept = material_pack(clips), {"qualification": False, "writers": 2, **settings}
    # Tests count what happened by chance, so their draws are always the same.
    trial = create_trial(slug=slug, protocol="pacs-annotation", pack=pack, seed=seed, settings=kept, salt="5a" * 16)
    open_trial(trial=trial)
    return trial


def reach(trial: Trial, stage: str) -> None:
    """Let simulated people come until this stage is open."""
    while not trial.tasks.filter(stage=stage).exists():
        simulate(trial, people=1, accuracy=1.0)


def worker_of(trial: Trial, stage: str) -> Participant:
    """Somebody who has finished a sheet of this stage."""
    sheets = trial.tasks.filter(stage=stage).values("sheet")
    found = trial.participants.filter(task_answers__counts=True, sheet__in=sheets).order_by("pk").first()
    assert found is not None
    return found
