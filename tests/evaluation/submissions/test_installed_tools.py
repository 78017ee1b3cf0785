"""Files that other tools write themselves are read as submissions: repeats and epochs are seeds, one filter is chosen.

`make soak PART=tools` installs each tool in an environment of its own and lets it write; otherwise files are read that
it wrote before.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from django.core.management import call_command

from evaluation.models import ModelResponse, Score
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import header, items_of, small_pack, upload
from tests.factories import make_answer, make_model, make_run

pytestmark = pytest.mark.django_db
IS_INSTALLED = os.environ.get("TOOLS") == "installed"
WRITTEN = Path(__file__).parents[1] / "data" / "tools"  # NAME.* by tools/by_NAME.py
EEE = "every_eval_ever"
PACKAGES = {
    "inspect": ["inspect-ai"],
    "lm_eval": ["lm-eval", "datasets"],
    "lmms_eval": ["lmms-eval==0.7.3", "filelock<4"],
    EEE: ["every-eval-ever==0.3.0", "inspect-ai"],
}
EPOCHS = [0, 1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Gives the interpreter of a new environment with the tool."""

    @cache
    def python_with(name):
        folder = tmp_path_factory.mktemp(name)
        subprocess.run([newer_python() if name == EEE else sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", *PACKAGES[name]], check=True)
        return folder / "bin" / "python"

    return python_with


def newer_python():
    for name in ("python3.13", "python3.12"):
        path = shutil.which(name)
        if path and not subprocess.run([path, "-m", "venv", "--help"], capture_output=True).returncode:
            return path
    pytest.skip("SKIPPED LOUDLY: no Python 3.12 or later, which Every Eval Ever needs")


@pytest.fixture(params=PACKAGES)
def files(request, tmp_path, installed):
    """What one tool writes of two epochs of the small pack's items, answered by "Yes."."""
    if not IS_INSTALLED:
        return sorted(WRITTEN.glob(f"{request.param}.*"))
    python, out = installed(request.param), tmp_path / "out"
    out.mkdir()
    script = Path(__file__).parent / "tools" / f"by_{request.param}.py"
    items = [f"small{number}" for number in range(4)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([python, script, out, *items], check=True, cwd=tmp_path, env=environment)
    return sorted(path for path in out.rglob("*") if path.is_file())


def test_what_a_tool_wrote_is_a_submission_with_its_epochs_as_seeds(files, django_user_model):
    assert files
    pack = small_pack()
    for number, file in enumerate(files):
        user = django_user_model.objects.create_user(f"sender-{number}")
        run = submit(
            file=upload(file.read_bytes(), file.name), user=user, header=header(pack, model=f"By {file.name[:40]}")
        )
        assert run.seeds == EPOCHS
        replies = ModelResponse.objects.filter(cell__run=run).values_list("cell__item__public_id", "cell__seed", "raw")
        assert set(replies) == {(item.public_id, seed, "Yes.") for item in items_of(pack) for seed in EPOCHS}
        assert sum(Score.objects.of_run(run).values_list("value", flat=True)) == 4


@pytest.mark.skipif(not IS_INSTALLED, reason="the tool must be installed: make soak PART=tools")
def test_every_eval_ever_itself_finds_an_export_valid(tmp_path, installed):
    pack = small_pack()
    run = make_run(pack, model=make_model(name="A model", card={"organisation": "A Lab"}), seeds=EPOCHS)
    for seed, item in product(run.seeds, items_of(pack)):
        make_answer(run, item, "yes", seed=seed)
    call_command("export_run", str(run.pk), layout="every-eval-ever", out=tmp_path / "out")
    files = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").glob("data/**/*.json*")]
    command = [installed(EEE), "-m", EEE, "validate", *map(str, files)]
    assert len(files) == 2
    assert not subprocess.run(command, cwd=tmp_path / "out").returncode
