"""test_openai_worker.py runs this in a separate process: adds a model for each server, and starts a run of each."""

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from evaluation.runs.add_model import add_model  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from tests.factories import make_item, make_model, make_pack  # noqa: E402


def started(servers: dict[str, dict]) -> dict[str, int]:
    """The run of each server's model, and a run of a model without a server."""
    pack = make_pack(name="servers")
    for number in range(6):
        make_item(pack, expected="yes" if number % 3 else "no")
    models = [add_model(slug=slug, kind="openai", options=options)[0] for slug, options in servers.items()]
    models.append(make_model(slug="local", kind="scripted"))
    runs = [start_run(model=model, pack=pack, strategy="binary", condition="question-only") for model in models]
    return {run.model.slug: run.pk for run in runs}


if __name__ == "__main__":
    print(json.dumps(started(json.loads(sys.argv[1]))))
