"""Material for annotation, and simulated annotators who use the pages without a network."""

from collections.abc import Mapping
from functools import cached_property

from django.test import Client
from django.test.client import ClientHandler

from benchmarks.models import Pack, RenditionKind
from humantrials.models import Participant, Trial
from humantrials.simulation.browser import PageReply, Visitor
from humantrials.simulation.crowd import Crowd
from humantrials.simulation.participant import Habits
from humantrials.studies.lifecycle import create_trial, mark_simulated, open_trial
from tests.factories import make_clip, make_pack

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


class Inside(Visitor):
    """A visitor whose requests go to the site in this process, without cookies."""

    @cached_property
    def handler(self) -> ClientHandler:
        """The site; each client would make its own middleware."""
        return ClientHandler()

    def _once(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[PageReply, str]:
        kind = headers.get("Content-Type", "")
        client = Client(headers={**self.headers, **headers})
        client.handler = self.handler
        answer = client.generic(method, path, body or "", content_type=kind)
        text = "" if answer.streaming else answer.content.decode()
        return PageReply(answer.status_code, path, text), answer.headers.get("Location", "")


class InsideCrowd(Crowd):
    """A crowd whose members come one after another."""

    visitor = Inside

    def walk(self) -> dict[str, int]:
        while (person := self._next()) is not None:
            self._let(person)
        return self.summary()


def simulate(trial: Trial, *, people: int = 150, seed: int = 1, **habits: float) -> dict[str, int]:
    """Let simulated people come until everything is done; returns the summary."""
    mark_simulated(trial=trial)
    first = trial.participants.count()
    return InsideCrowd(trial, "http://testserver", people, seed, Habits(**habits), first=first).walk()


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
