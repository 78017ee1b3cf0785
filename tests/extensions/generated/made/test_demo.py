"""The demo's board, from made clips to a closed study and judges' answers, and the check of its folders."""

import csv
import re
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.models import Reading, RunState
from evaluation.workers.loop import work_on
from extensions.generated import demo
from extensions.generated.made.folders import PACK
from extensions.generated.made.generators import GENERATORS
from extensions.generated.models import ClipSet, GeneratedClip, GeneratorRole, RatingRound, ReportedRow
from humantrials.models import Trial, TrialState
from humantrials.running.lifecycle import open_trial
from tests.humantrials.inside_crowd import simulate

FEW = ("faults-in-60", "nothing-moves", "reference-again", "ugly-but-right")
pytestmark = [pytest.mark.django_db, pytest.mark.render]


@pytest.fixture
def small(monkeypatch, settings, folders):
    """The demo with the small folders, and people without a network; what it said."""

    def simulated(name, slug, **options):
        trial = Trial.objects.get(slug=slug)
        open_trial(trial=trial)
        simulate(trial)

    few = settings.VAR_DIR / "demo-generators"
    (few / "sets").mkdir(parents=True)
    (few / "prompts").symlink_to(folders / "prompts")
    for slug in FEW:
        (few / "sets" / slug).symlink_to(folders / "sets" / slug)
    monkeypatch.setattr(demo, "call_command", simulated)
    return []


def test_the_demo_makes_a_whole_board_and_runs_again_without_harm(small, folders):
    runs = list(demo.further(small.append, None, "http://nowhere"))
    questions = RatingRound.objects.get(pack__slug=PACK).questions
    sets = ClipSet.objects.filter(pack__slug=PACK, state="listed", is_simulated=True)
    roles = Counter(clip_set.generator.role for clip_set in sets)
    assert roles == {GeneratorRole.GENERATOR: 2, GeneratorRole.FLOOR: 1, GeneratorRole.CEILING: 1}
    for clip in GeneratedClip.objects.select_related("clip_set__generator", "prompt"):
        slug = next(made.slug for made in GENERATORS if made.name == clip.clip_set.generator.title)
        with (folders / "sets" / slug / "truth.csv").open(newline="") as file:
            rows = {(row["prompt"], row["take"]): row for row in csv.DictReader(file)}
        assert clip.truth["is_broken"] == (rows[clip.prompt.key, clip.take]["is_broken"] == "1")
    trial = Trial.objects.get(slug=demo.STUDY)
    assert (trial.state, trial.is_simulated) == (TrialState.CLOSED, True)
    assert trial.judgments.filter(counts=True).count() == demo.REPLICATES * questions.items.count()
    assert list(demo.further(small.append, None, "http://nowhere")) == runs
    assert small == ["Importing their clip sets", f"Simulated people take {demo.STUDY}"]
    assert ReportedRow.objects.exists()
    assert len(runs) == 2 * len(demo.DEFECTS)
    for run in runs:
        work_on(run.pk)
        run.refresh_from_db()
        assert run.state == RunState.FINISHED
        answers = Reading.objects.filter(response__cell__run=run).values_list("answer", flat=True)
        assert set(answers) <= {"1", "2", "3", "4", "5"}
        assert len(set(answers)) > 1


def test_folders_pass_their_checks_and_notes_name_what_is_odd(folders):
    odd = {}
    for folder in (folders / "prompts", *(folders / "sets" / slug for slug in FEW)):
        call_command("check_benchmark", str(folder), stdout=(out := StringIO()))
        assert re.search(r"3 prompts, 0 errors, \d+ notes?\n", out.getvalue()), out.getvalue()
        odd[folder.name] = re.findall(r"nothing moves|first picture", out.getvalue())
        if folder.name == "prompts":
            call_command("import_benchmark", str(folder), stdout=StringIO())
    assert odd.pop("nothing-moves") == ["nothing moves"] * 6
    assert {"first picture"} == set(odd.pop("ugly-but-right"))
    assert not any(odd.values())
