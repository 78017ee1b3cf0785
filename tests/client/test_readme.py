"""The README's lines, typed with the installed client, lead to a scored row: in Python, and in a shell."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from accounts.models import User, new_token
from evaluation.models import Run
from tests.programs import ROOT
from tests.site import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)
README = (ROOT / "client/README.md").read_text()
MODEL = "my_model = lambda text, clips: 'yes' if clips else 'no'\n"
PROGRAM = "#!/bin/sh\necho yes\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The client as pip installs it from its folder, of which a copy is built."""
    folder = tmp_path_factory.mktemp("client")
    shutil.copytree(ROOT / "client", folder / "source")
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--target", folder / "installed")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *offline, folder / "source"], check=True)
    return folder / "installed"


@pytest.fixture
def typed(installed, live_server, pack, tmp_path):
    """Runs a program of the README in an empty folder, with the client installed; returns what it printed."""
    (tmp_path / "my-model").write_text(PROGRAM)
    (tmp_path / "my-model").chmod(0o755)
    key = new_token(user=User.objects.create_user("ada"), name="client")
    env = os.environ | {"PATH": f"{installed}/bin:{os.environ['PATH']}", "PYTHONPATH": str(installed)}
    ours = {"https://SITE": live_server.url, "KEY": key, "demo": "small"}
    ours |= {"plausibility": "binary", "level=2": "level=1"}

    def run(command, kind):
        text = re.search(f"```{kind}\n(.*?)```", README, re.DOTALL)[1]
        text = text.replace("BENCHSITE_KEY=KEY", f"BENCHSITE_KEY={key}")
        for theirs, own in ours.items():
            text = re.sub(rf"(?<!\w){theirs}(?!\w)", own, text)
        text = MODEL + text if kind == "python" else text
        how = {"cwd": tmp_path, "env": env, "capture_output": True, "text": True, "timeout": PATIENCE}
        done = subprocess.run([*command, text], **how)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_ten_lines_of_python_lead_to_a_scored_row(typed):
    assert typed([sys.executable, "-c"], "python") == "0.5\n"
    assert Run.objects.get().model.name == "My model 7B"


def test_five_lines_of_a_shell_lead_to_a_scored_row(typed):
    printed = typed(["bash", "-ec"], "sh")
    assert "can be sent: 4 rows, score 50.0 %" in printed
    assert f"run {Run.objects.get().pk}, private: 4 rows, score 50.0 %" in printed
