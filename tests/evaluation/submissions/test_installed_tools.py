"""Files that other tools write themselves are read as submissions: repeats and epochs are seeds, one filter is chosen.

`make soak PART=tools` installs each tool in an environment of its own and lets it write; otherwise files are read that
it wrote before.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.models import ModelResponse, Score
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import header, items_of, small_pack, upload

pytestmark = pytest.mark.django_db
IS_INSTALLED = os.environ.get("TOOLS") == "installed"
WRITTEN = Path(__file__).parents[1] / "data" / "tools"  # NAME.* by tools/by_NAME.py
PACKAGES = {"inspect": ["inspect-ai"], "lm_eval": ["lm-eval", "datasets"]}
EPOCHS = [0, 1]


def installed(name, folder):
    """The interpreter of a new environment with the tool."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", *PACKAGES[name]], check=True)
    return folder / "bin" / "python"


@pytest.fixture(params=PACKAGES)
def files(request, tmp_path):
    """What one tool writes of two epochs of the small pack's items, answered by "Yes."."""
    if not IS_INSTALLED:
        return sorted(WRITTEN.glob(f"{request.param}.*"))
    python, out = installed(request.param, tmp_path / "environment"), tmp_path / "out"
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
