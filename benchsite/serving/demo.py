"""The demo content: small generated packs, models with answers, studies to take part in, and simulated participants.

Every step first looks for what exists, so the demo can be stopped anywhere and run again.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from benchmarks.generation.generate import make_production
from benchmarks.models import Pack, Production, ProductionState
from benchsite import extensions
from evaluation.models import Model, Priority, Run
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.lifecycle import ensure_runs
from humantrials.models import Trial, TrialState
from humantrials.running.lifecycle import create_trial, open_trial

BENCHMARK, PACK = "grasp", "demo"
SEED = 2024
# Contents of each pack; `count` is clips per scene, pairs of objects, image sequences per scenario, videos per scene.
PACKS: dict[str, dict[str, Any]] = {
    BENCHMARK: {"count": 2, "size": (640, 480), "fps": 10},
    "tapped": {"count": 24, "size": (320, 180), "fps": 25, "look": "plain"},  # sixteen clips, with sound
    "giraffe": {"count": 2, "size": (320, 320)},
    "craft": {"count": 16, "size": (256, 256), "fps": 60},
}
FOLDERS = {BENCHMARK: "demo-clips", "tapped": "demo-pairs", "giraffe": "demo-patterns", "craft": "demo-videos"}
HEURISTICS = ("always-yes", "random")
STRATEGIES = ("binary", "plausibility")
SOUNDS = ("audio", "no-audio")
MOST_PEOPLE = 200
# Studies taken by simulated participants, all but the first at the very end; their rows are labelled as such.
SIMULATED: tuple[dict[str, str], ...] = (
    {"slug": "simulated-demo", "title": "Plausible or not? The demo clips", "confidence": "5"},
    {"slug": "simulated-twins", "title": "Which of the two is impossible?", "protocol": "grasp-twins"},
    {"slug": "simulated-moments", "title": "Detecting the violation", "protocol": "grasp-moment"},
    {"slug": "simulated-stills", "title": "Plausible or not, from stills?", "protocol": "grasp-frames"},
)
TRIED = 31  # answers to each item of a study to try: 124 sheets

Say = Callable[[str], None]


def make_pack(say: Say, benchmark: str = BENCHMARK) -> Pack:
    """The benchmark's demo pack, generated and imported unless it exists; pages show the progress."""
    if standing := Pack.objects.filter(benchmark=benchmark, name=PACK).first():
        return standing
    wanted = PACKS[benchmark]
    say(f"Making clips of {benchmark}: {', '.join(f'{name} {value}' for name, value in wanted.items())}")
    out = Path(settings.VAR_DIR) / FOLDERS[benchmark]
    return make_production(benchmark=benchmark, pack_name=PACK, out=out, seed=SEED, **wanted)


@contextmanager
def announced() -> Iterator[None]:
    """Announce on pages which packs are still to be made; unfinished ones are no longer announced afterwards."""
    for benchmark in PACKS:
        if not Pack.objects.filter(benchmark=benchmark, name=PACK).exists():
            Production.objects.get_or_create(benchmark=benchmark, pack_name=PACK)
    try:
        yield
    finally:
        Production.objects.filter(pack_name=PACK, state=ProductionState.WAITING, order={}).delete()


@contextmanager
def learning(say: Say, benchmark: str) -> Iterator[Callable[[Pack], list[Run]]]:
    """Let extensions train models for this benchmark while the caller makes other content; gives what asks them."""
    with ExitStack() as stack:
        asking = [stack.enter_context(part.beside(say, benchmark)) for part in extensions.modules("demo")]
        yield lambda pack: [run for ask in asking for run in ask(pack)]


def make_trial(pack: Pack, slug: str, title: str, *, protocol: str = "grasp-plausibility", **more: object) -> Trial:
    """A short study on the demo pack, open to every visitor."""
    trial = Trial.objects.filter(slug=slug).first() or create_trial(
        slug=slug, protocol=protocol, pack=pack, seed=SEED, settings={"seal": False, **more}, title=title
    )
    if trial.state == TrialState.DRAFT:
        open_trial(trial=trial)
    return trial


def make_trial_to_try(pack: Pack, slug: str, title: str, *, protocol: str = "grasp-plausibility") -> Trial:
    """A study of so many sheets that a few visitors never fill it, and so become no row of people."""
    return make_trial(pack, slug, title, protocol=protocol, replicates=TRIED)


def simulate_people(say: Say, pack: Pack, site: str, studies: Iterable[dict[str, str]]) -> None:
    """Have simulated participants take these studies of their own over HTTP."""
    how = {"participants": MOST_PEOPLE, "seed": SEED, "verbosity": 0, "concurrency": 2}
    for study in studies:
        trial = make_trial(pack, **study)
        if not trial.is_simulated:
            say(f"Simulated people take {trial.slug}")
            call_command("simulate_trial", trial.slug, base_url=site, **how)


def make_demo(say: Say, site: str) -> list[Run]:
    """The demo content in the order of visitors' interest; `site` is the site's address.

    Each network learns on one core while the other core makes the next content.
    """
    with learning(say, BENCHMARK) as ask_those_of_clips:
        pack = make_pack(say)
        ensure_heuristics()
        guesser = Model.objects.get(slug="random")
        runs = [run for slug in HEURISTICS for run in ensure_runs(pack, Model.objects.get(slug=slug), STRATEGIES)]
        make_trial_to_try(pack, "try-it", "Try it: plausible or not?")
        with learning(say, "tapped") as ask_those_of_pairs:
            simulate_people(say, pack, site, SIMULATED[:1])
            pairs = make_pack(say, "tapped")
            runs += [run for sound in SOUNDS for run in ensure_runs(pairs, guesser, ("pair",), condition=sound)]
            title = "Try it: which of the two, by sight and sound?"
            make_trial_to_try(pairs, "listen", title, protocol="tapped-audio")
            runs += [*ask_those_of_clips(pack), *ask_those_of_pairs(pairs)]
    say("The first demo content is ready; the worker is answering")
    return runs


def make_further_runs(say: Say, site: str) -> list[Run]:
    """The rest of the demo: patterns, CRAFT's videos, and extensions' further models."""
    patterns = make_pack(say, "giraffe")
    guesser = Model.objects.get(slug="random")
    runs = list(ensure_runs(patterns, guesser, ("patterns-choice",), priority=Priority.LOW))
    make_pack(say, "craft")
    for part in extensions.modules("demo"):
        runs += part.further(say, make_pack, site)
    simulate_people(say, make_pack(say), site, SIMULATED[1:])
    say("All demo content is ready")
    return runs
