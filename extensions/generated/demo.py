"""The demo's board of generators: made clips with known faults, simulated raters and two simulated judges."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from benchmarks.models import Pack
from benchmarks.packs.folder_check import import_other
from evaluation.models import Priority, Run
from evaluation.runs.lifecycle import ensure_runs
from extensions.generated.clipsets.moderation import list_set
from extensions.generated.made.clips import MadeOrder
from extensions.generated.made.folders import PACK, make_folders
from extensions.generated.made.generators import GENERATORS
from extensions.generated.made.judges import ensure_judges
from extensions.generated.models import ClipSet, ClipSetState, PromptPack, RatingRound
from extensions.generated.published import import_reported
from extensions.generated.question_kinds import CLIP, rating_prompt, study_name
from extensions.generated.rounds.make_round import make_round
from humantrials.models import Trial, TrialState
from humantrials.running.lifecycle import close_trial, create_trial

ORDER = MadeOrder(prompts=8, takes=1)  # 96 clips of eight seconds
SCENES = "demo-clips"  # of the demo's pack of GRASP, whose twins are these prompts
ROUND = "Made here, simulated"
STUDY, REPLICATES, PEOPLE, SEED = "simulated-generators", 2, 100, 2024
DEFECTS = ("none", "pretty")

Say = Callable[[str], None]


def beside(say: Say, benchmark: str) -> AbstractContextManager[Callable[[Pack], list[Run]]]:
    """Nothing is learnt beside the demo's other content."""
    return nullcontext(lambda pack: [])


def further(say: Say, make_pack: Callable[[Say, str], Pack], site: str) -> Iterator[Run]:
    """Rows of papers, and a whole board: clip sets, a round, runs of judges, a closed study of simulated people."""
    import_reported()
    questions = _make_round(say).questions
    yield from _judges(questions)
    _study(say, questions, site)


def _make_round(say: Say) -> RatingRound:
    if standing := RatingRound.objects.filter(pack__slug=PACK).first():
        return standing
    folder = Path(settings.VAR_DIR) / "demo-generators"
    if not folder.exists():
        say(f"Making clips of {len(GENERATORS)} simulated generators")
        make_folders(ORDER, Path(settings.VAR_DIR) / SCENES, folder, progress=_silent)
    say("Importing their clip sets")
    for part in (folder / "prompts", *sorted((folder / "sets").iterdir())):
        import_other(part, _silent)
    pack = PromptPack.objects.get(slug=PACK)
    for clip_set in pack.clip_sets.filter(state=ClipSetState.CHECKED):
        list_set(clip_set=clip_set, by_id=None)
    return make_round(pack, list(ClipSet.objects.filter(pack=pack, state=ClipSetState.LISTED)), ROUND, [CLIP])


def _judges(questions: Pack) -> Iterator[Run]:
    strategies = [rating_prompt(PACK, dimension.name) for dimension in PromptPack.objects.get(slug=PACK).dimensions]
    for judge in ensure_judges(DEFECTS):
        yield from ensure_runs(questions, judge, strategies, priority=Priority.LOW)


def _study(say: Say, questions: Pack, site: str) -> None:
    """People rate every clip, simulated over HTTP; then the study is closed, so that the board shows them."""
    how = {"replicates": REPLICATES, "seal": False}
    title = "How good are these clips? Simulated"
    trial = Trial.objects.filter(slug=STUDY).first() or create_trial(
        slug=STUDY, protocol=study_name(PACK, CLIP), pack=questions, seed=SEED, settings=how, title=title
    )
    if trial.state in (TrialState.DRAFT, TrialState.OPEN):
        say(f"Simulated people take {STUDY}")
        few = {"participants": PEOPLE, "seed": SEED, "verbosity": 0, "concurrency": 2}
        call_command("simulate_trial", STUDY, base_url=site, **few)
        close_trial(trial=Trial.objects.get(slug=STUDY))


def _silent(done: int, total: int) -> None:
    """Steps of seconds show no progress of their own."""
