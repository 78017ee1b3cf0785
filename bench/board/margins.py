"""Boards over margins beside boards over plain answers, with the same items, models and seeds.

`python -m bench.board.margins [MODELS [SEEDS]]` loads an empty database in a temporary folder and prints JSON lines;
exit 1 if a target is missed. The default is 40 models and six seeds on GRASP's level 2 (4,096 items, so 983,040
responses of each kind). A folder named by DATA_DIR is kept, and the same command measures it again. All answers are
random, so they are no result. Costs are in processor time, which other load on the machine affects less than wall time;
cold requests of both boards alternate.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from typing import Any

RATIO = 1.1  # target: ratio of a cold board of margins to one of plain answers
BOARD = "/leaderboard/grasp/?level=2&group=test&strategy="
PAGE = "/leaderboard/grasp/likelihood/?level=2"
WAYS = {"plausibility": "grasp-paper", "plausibility-likelihood": "likelihood"}  # strategy -> parser
ROUNDS = 9


def load(models: int, seeds: int) -> dict[str, int]:
    """Write the pack and both runs of each model; return the number of responses and of margins."""
    from django.db import transaction

    from bench.board.million import Answers, analyse
    from bench.board.million_packs import Packs, physics
    from evaluation.models import Model, ModelResponse

    with transaction.atomic():
        pack, questions = Packs().write("grasp", list(physics(0)))
    answers = Answers()
    for number in range(models):
        with transaction.atomic():
            model = Model.objects.create(slug=f"model-{number}", name=f"Model {number:02}", kind="random")
            for strategy, parser in WAYS.items():
                run = _run(model, pack, strategy, parser, seeds)
                answers.write(run, questions["plausibility"], 0.42 + 0.5 * number / models)
                if strategy.endswith("-likelihood"):
                    _weigh(run)
    analyse()
    return {
        "responses": ModelResponse.objects.count(),
        "margins": ModelResponse.objects.filter(margin__isnull=False).count(),
    }


def loaded(models: int, seeds: int) -> dict[str, int]:
    """The counts of `load`, which runs once for a kept folder."""
    from evaluation.models import Model, ModelResponse

    if not Model.objects.filter(slug=f"model-{models - 1}").exists():
        return load(models, seeds)
    weighed = ModelResponse.objects.filter(margin__isnull=False)
    return {"responses": ModelResponse.objects.count(), "margins": weighed.count()}


def _run(model: Any, pack: int, strategy: str, parser: str, seeds: int) -> Any:
    from evaluation.models import Listing, Run, RunState

    return Run.objects.create(
        model=model,
        pack_id=pack,
        strategy=strategy,
        parser=parser,
        parser_version="1",
        seeds=list(range(seeds)),
        sampler="uniform-8",
        state=RunState.FINISHED,
        listing=Listing.LISTED,
        answers_version=1,
    )


def _weigh(run: Any) -> None:
    """Give each response a margin between 0.004 and 4 on the side of its answer."""
    from django.db.models import Case, F, FloatField, Value, When

    from evaluation.models import ModelResponse

    size = (F("id") * Value(7919) % Value(1000) + Value(1)) / Value(250.0)
    signed = Case(When(raw="yes", then=size), default=-size, output_field=FloatField())
    ModelResponse.objects.filter(cell__run=run).update(margin=signed)


def standings() -> dict[str, float]:
    """Processor seconds to compute the rows of the last model's run of each strategy."""
    from evaluation.models import Run
    from leaderboard.standings.item_arrays import facts_of
    from leaderboard.standings.refresh import rows_of_run

    found = {}
    for strategy in WAYS:
        run = Run.objects.filter(strategy=strategy).select_related("model", "pack").latest("pk")
        facts, began = facts_of(run.pack), time.process_time()
        rows_of_run(run, facts)
        found[strategy] = round(time.process_time() - began, 2)
    return found


def boards() -> dict[str, dict[str, float]]:
    """Median wall and processor milliseconds to render each board and the page of likelihoods."""
    from django.core.cache import cache

    from bench.board.page_million import cost, queries_of

    addresses = {name: BOARD + name for name in WAYS} | {"page of likelihoods": PAGE}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in addresses}
    for address in addresses.values():
        cost(address)  # loads the templates
    for _round in range(ROUNDS):
        for name, address in addresses.items():
            cache.clear()
            spent[name].append(cost(address))
    found = {}
    for name, address in addresses.items():
        wall, cpu = (statistics.median(values) for values in zip(*spent[name], strict=True))
        cache.clear()
        found[name] = {"ms": round(wall, 1), "cpu_ms": round(cpu, 1), "queries": queries_of(address)}
    return found


def say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def main(models: int, seeds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        os.environ |= {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost,testserver"}
        from bench.board import million

        million.set_up()
        from django.core.management import call_command

        from leaderboard.standings.refresh import refresh

        call_command("collectstatic", interactive=False, verbosity=0)
        say(measure="load", models=models, seeds=seeds, **loaded(models, seeds))
        began = time.process_time()
        computed = refresh().computed
        say(measure="all rows", rows=computed, cpu_s=round(time.process_time() - began, 1))
        say(measure="rows of one run, cpu s", **standings())
        found = boards()
        for name, figures in found.items():
            say(measure="cold", board=name, load=round(os.getloadavg()[0], 1), **figures)
        plain, margins = (found[name]["cpu_ms"] for name in WAYS)
        is_ok = margins <= RATIO * plain
        say(measure="margins against plain", ratio=round(margins / plain, 2), target=RATIO, ok=is_ok)
    return 0 if is_ok else 1


if __name__ == "__main__":
    numbers = [int(number) for number in sys.argv[1:3]]
    sys.exit(main(*numbers, *(40, 6)[len(numbers) :]))
