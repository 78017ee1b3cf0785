"""Every stored figure of the boards, and the answers of models and people behind them."""

from collections import Counter, defaultdict

from benchmarks.disclosure import SCORER, expected_of
from benchmarks.models import Item
from evaluation.models import ModelResponse, Run
from evaluation.parsing import PARSERS
from evaluation.workers.recording import parsed_by
from humantrials.models import Judgment
from leaderboard.models import Comparison, RankTest, Standing
from tools.bench.before.store import Flat, flat


def figures() -> Flat:
    """Cells of all rows, differences between rows, and tests of ranks."""
    rows = list(Standing.objects.select_related("pack", "run", "trial").order_by("pk"))
    of_row = ("pack", "split", "kind", "name", "revision", "strategy", "condition")
    names = _numbered({row.pk: joined(row, *of_row) + (f" {row.trial.slug}" if row.trial else "") for row in rows})
    found: Flat = {}
    for row in rows:
        found[f"{names[row.pk]} tier"] = row.tier
        found |= flat(row.cells, names[row.pk]) | flat(row.overall, f"{names[row.pk]} overall")
    for pair in Comparison.objects.order_by("pk"):
        values = {name: getattr(pair, name) for name in ("n", "difference", "low", "high", "p", "test")}
        found |= flat(values, f"{names[pair.first_id]} against {names[pair.second_id]}")
    runs = {row.run_id: names[row.pk] for row in rows}
    of_ranks = ("pack", "split", "strategy", "condition", "level", "caution", "dimension", "referee")
    for test in RankTest.objects.select_related("pack").order_by("pk"):
        found[f"ranks {joined(test, *of_ranks)}"] = [[runs[run] for run in test.runs], bytes(test.packed).hex()]
    return found


def answers() -> Flat:
    """Each reply with what today's parser reads in it, and its scores; each judgment, a person by order of arrival."""
    runs = Run.objects.select_related("model", "pack").order_by("pk")
    of_run = ("pack", "split", "model", "revision", "strategy", "condition")
    names = _numbered({run.pk: joined(run, *of_run) for run in runs})
    found: Flat = {}
    replies = ModelResponse.objects.select_related("cell__item__pack", "cell__run__pack").order_by("cell__pk")
    for reply in replies.prefetch_related("readings__scores", "cell__item__facets"):
        run = reply.cell.run
        parsed = parsed_by(PARSERS[run.parser], reply, expected_of(reply.cell.item, to=SCORER))
        scores = [score for reading in reply.readings.all() for score in reading.scores.all()]
        values = sorted([score.dimension, score.referee, score.value] for score in scores)
        key = f"{names[run.pk]} | {item_name(reply.cell.item)} seed {reply.cell.seed}"
        found[key] = [reply.raw, parsed.answer, parsed.problem, values]
    people: dict[int, dict[int, int]] = defaultdict(dict)
    for each in Judgment.objects.select_related("trial", "item__pack").order_by("participant", "pk"):
        person = people[each.trial_id].setdefault(each.participant_id, len(people[each.trial_id]) + 1)
        found[f"{each.trial.slug} | {item_name(each.item)} person {person}"] = [each.raw, each.answer, each.counts]
    return found


def item_name(item: Item) -> str:
    return joined(item, "pack", "key", "kind", "variant")


def joined(row: object, *fields: str) -> str:
    return " ".join(filter(None, (str(getattr(row, name)) for name in fields)))


def _numbered(names: dict[int, str]) -> dict[int, str]:
    """The names by id; of several rows with one name, the later ones have a number."""
    count: Counter[str] = Counter()
    for pk, name in names.items():
        count[name] += 1
        names[pk] = f"{name} #{count[name]}" if count[name] > 1 else name
    return names
