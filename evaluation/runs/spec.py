"""The specification of a run, and rows by the names that people type.

Every name is looked up before anything is written; errors list the existing names.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import ItemFacet, ItemMedia, ItemQuerySet, Pack
from benchmarks.packs.twins import are_matched
from evaluation.adapters.registry import ADAPTERS, CHOOSING, ONLY_SURPRISING, SURPRISING, WEIGHING, hears, why_deaf
from evaluation.errors import RunMisused
from evaluation.inputs import frames
from evaluation.inputs.addresses import ADDRESS, check_addresses
from evaluation.inputs.audio import LOOKED_AT, PLAYING, any_sound
from evaluation.inputs.frames import DEFAULT_SAMPLER, SAMPLER_OF_CONDITION, WITHOUT_FRAMES, check_sampler
from evaluation.models import Model, Run
from evaluation.parsing import PARSERS
from evaluation.prompting.presets import PRESET, THINKING, check_preset, checked_thinking
from evaluation.prompting.strategies import names_clips

SAMPLING: dict[str, Any] = {"temperature": 0.0, "max_new_tokens": 64}


@dataclass(frozen=True)
class RunSpec:
    """A checked specification: the run's columns, and what selects its questions."""

    fields: Mapping[str, Any]
    strategy: StrategyName
    split: str
    seeds: tuple[int, ...]

    @property
    def needs_clips(self) -> bool:
        return self.fields["condition"] not in WITHOUT_FRAMES or self.fields["condition"] in PLAYING


class RunNames(TypedDict, total=False):
    """The names that a caller may give; the rest comes from the benchmark's definition."""

    condition: str | None
    split: str | None
    sampler: str | None
    sampling: Mapping[str, Any] | None
    seeds: Sequence[int]
    parser: str | None
    limit: int | None  # the most questions
    only: Mapping[str, Sequence[str]] | None  # values of facets


def chosen(*, model: Model, pack: Pack, strategy: str, **names: Unpack[RunNames]) -> RunSpec:
    """The specification from the given names or the definition's defaults; RunMisused for unknown names."""
    benchmark = find_benchmark(pack.benchmark)
    named = _strategy(benchmark, strategy)
    _check_model(model, named)
    if named.with_twin and not are_matched(pack):
        raise RunMisused(f"{strategy} shows twins, and those of {pack} are not matched: only packs made here have such")
    condition = names.get("condition") or named.condition
    known("condition", condition, benchmark.conditions_of(strategy), f" for {strategy}")
    if condition in PLAYING:
        _check_sound(model, pack, condition)
    reader = PARSERS[known("parser", names.get("parser") or benchmark.parser_of(strategy), benchmark.parsers)]
    fields: dict[str, Any] = {
        "revision": model.revision,
        "strategy": strategy,
        "condition": condition,
        "split": known("split", names.get("split") or named.splits[0], named.splits, f" for {strategy}"),
        "sampler": _sampler(condition, names.get("sampler")),
        "sampling": _sampling(names.get("sampling") or {}, benchmark, named, model),
        "seeds": _seeds(_wordings(named, names.get("seeds", (0,)))),
        "parser": reader.name,
        "parser_version": reader.version,
        "limit": names.get("limit"),
        "only": dict(names.get("only") or {}),
    }
    _check_fitted(model, fields["split"])
    if model.options.get("frames_as") == ADDRESS and condition not in WITHOUT_FRAMES:
        is_of_one_clip = not (names_clips(named) or named.shows_stills)
        check_addresses(pack, condition, fields["sampler"], is_of_one_clip=is_of_one_clip)
    return RunSpec(fields, named, fields["split"], tuple(fields["seeds"]))


def selected_items(pack: Pack, choice: RunSpec) -> list[int]:
    """Primary keys of the items to ask, drawn by draw key, in the order of asking; RunMisused if there are none."""
    limit, only = choice.fields["limit"], choice.fields["only"]
    if limit is not None and limit < 1:
        raise RunMisused(f"limit {limit}: at least 1")
    items = _wanted(pack, choice)
    if choice.needs_clips:
        items = items.exclude(media__isnull=True).exclude(media__clip__withdrawn_at__isnull=False)
    found = by_clip(pack, list(items.order_by("draw_key").values_list("pk", flat=True)[:limit]))
    if not found and (waiting := left_out(pack, choice)):
        raise RunMisused(f"{pack}: none of these {waiting} questions has its clips here {_of(only)}".strip())
    if not found:
        what = f"{' or '.join(choice.strategy.kinds)} questions for {choice.strategy.name}"
        raise RunMisused(f"{pack} has no {what} in the split {choice.split} {_of(only)}".strip())
    return found


def by_clip(pack: Pack, items: Sequence[int]) -> list[int]:
    """The items grouped by clip, so that the common part of their prompts is processed and cached once.

    Clips keep the order of their first items, and each clip's items keep their order.
    """
    uses = ItemMedia.objects.filter(item__pack=pack).order_by("-position", "-pk").values_list("item_id", "clip_id")
    clips: dict[int, int] = dict(uses)  # the first clip of each item
    first: dict[int, int] = {}
    for place, item in enumerate(items):
        first.setdefault(clips.get(item, -item), place)
    return sorted(items, key=lambda item: first[clips.get(item, -item)])


def left_out(pack: Pack, choice: RunSpec) -> int:
    """The number of wanted questions without their clips: missing in the release, or withdrawn."""
    if not choice.needs_clips:
        return 0
    wanted = _wanted(pack, choice)
    return wanted.without_needed_clips(choice.strategy.kinds).count() + wanted.withdrawn().count()


def _wanted(pack: Pack, choice: RunSpec) -> ItemQuerySet:
    items = pack.items.in_split(choice.split).for_strategy(find_benchmark(pack.benchmark), choice.strategy)
    for name, values in choice.fields["only"].items():
        items = items.filter(pk__in=_carrying(pack, name, values))
    return items


def known(what: str, name: str, existing: Collection[str], where: str = "") -> str:
    """Return the name if it exists, else raise RunMisused."""
    if name not in existing:
        raise RunMisused(f"there is no {what} {name!r}{where}; there is: {', '.join(existing)}")
    return name


def _strategy(benchmark: Benchmark, name: str) -> StrategyName:
    names = [strategy.name for strategy in benchmark.strategies]
    return benchmark.strategy(known("strategy", name, names, f" of {benchmark.slug}"))


def _check_model(model: Model, strategy: StrategyName) -> None:
    """Refuse a model that can't be asked here, numbers that it can't give, and answers of a model of numbers only."""
    if model.kind not in ADAPTERS:
        raise RunMisused(f"{model.slug} can't be asked here: its kind {model.kind!r} is none of {', '.join(ADAPTERS)}")
    for wants, able, what in (
        (strategy.by_likelihood, WEIGHING, "log-probabilities"),
        (strategy.by_surprise, (*ONLY_SURPRISING, *SURPRISING), "surprises"),
    ):
        if wants and model.kind not in able:
            there = ", ".join(able)
            raise RunMisused(
                f"{strategy.name} needs {what}, and models of kind {model.kind} give none; {there} can give them"
            )
    if strategy.constrained and model.kind not in CHOOSING:
        there = ", ".join(CHOOSING)
        raise RunMisused(
            f"{strategy.name} needs constrained replies, and models of kind {model.kind} can't be"
            f" held to the options; there are {there}"
        )
    if model.kind == "openai" and strategy.constrained and not model.options.get("choice_as"):
        raise RunMisused(f"{strategy.name}: say by the option choice_as how {model.slug}'s server is told the options")
    if model.kind in ONLY_SURPRISING and not strategy.is_scored_apart:
        raise RunMisused(f"{model.slug} answers no questions: it can be asked with the strategies surprise and moment")


def _check_fitted(model: Model, split: str) -> None:
    """Refuse to run a fitted model on the splits on which it was trained."""
    fitted = model.options.get("asked_on")
    if isinstance(fitted, Mapping) and split not in fitted:
        there = ", ".join(sorted(fitted))
        raise RunMisused(
            f"{model.slug} was fitted on training splits, and can't be asked on {split!r}; there is: {there}"
        )


def _check_sound(model: Model, pack: Pack, condition: str) -> None:
    """Refuse a condition with sound unless the model takes sound and the clips have sound."""
    if not hears(model):
        raise RunMisused(f"condition {condition} plays sound, and {model.slug} has no input for it: {why_deaf(model)}")
    clips = pack.clips.filter(withdrawn_at=None, problem="").prefetch_related("renditions").order_by("pk")
    if not any_sound(clips[:LOOKED_AT]):
        raise RunMisused(f"condition {condition} plays sound, and the clips of {pack} have none")


def _sampler(condition: str, name: str | None) -> str:
    """The given or default sampler; a condition with one frame or none has its own."""
    own = "" if condition in WITHOUT_FRAMES else SAMPLER_OF_CONDITION.get(condition)
    if own is None:
        name = check_sampler(name or DEFAULT_SAMPLER)
        if condition == "shuffled-frames" and frames.is_single(name):
            raise RunMisused(f"condition shuffled-frames needs two frames or more: {name} gives one")
        return name
    if name and name != own:
        raise RunMisused(f"condition {condition} has its own sampler: leave {name!r} out")
    return own


def _sampling(options: Mapping[str, Any], benchmark: Benchmark, strategy: StrategyName, model: Model) -> dict[str, Any]:
    for name in options:
        known("sampling setting", name, (*SAMPLING, PRESET, THINKING))
    if THINKING in options:
        options = {**options, THINKING: checked_thinking(options[THINKING], model)}
    if preset := options.get(PRESET):
        check_preset(preset, benchmark.slug, strategy)
    sampling = SAMPLING | dict(options)
    if not 0 <= sampling["temperature"] <= 5:
        raise RunMisused(f"temperature {sampling['temperature']}: between 0 and 5")
    if not 1 <= sampling["max_new_tokens"] <= 4096:
        raise RunMisused(f"max_new_tokens {sampling['max_new_tokens']}: between 1 and 4096")
    return sampling


def _wordings(strategy: StrategyName, seeds: Sequence[int]) -> Sequence[int]:
    """The seeds of a run in several wordings: the numbers of the wordings, all of them by default."""
    count = len(strategy.wordings)
    if not count:
        return seeds
    if tuple(seeds) == (0,):
        return range(count)
    if any(seed not in range(count) for seed in seeds) or len(seeds) < 2:
        raise RunMisused(f"seeds of {strategy.name} are the numbers of its wordings: two or more of 0 to {count - 1}")
    return seeds


def _seeds(seeds: Sequence[int]) -> list[int]:
    if not seeds or len(set(seeds)) != len(seeds) or not all(0 <= seed < 2**31 for seed in seeds):
        raise RunMisused(f"seeds {', '.join(map(str, seeds)) or '(none)'}: different whole numbers from 0")
    return list(seeds)


def _carrying(pack: Pack, name: str, values: Sequence[str]):
    facets = ItemFacet.objects.filter(item__pack=pack)
    known("facet", name, sorted(facets.values_list("name", flat=True).distinct()), f" in {pack}")
    existing = sorted(facets.filter(name=name).values_list("value", flat=True).distinct())
    for value in values:
        known(name, value, existing, f" in {pack}")
    return facets.filter(name=name, value__in=values).values("item_id")


def _of(only: Mapping[str, Sequence[str]]) -> str:
    return "with " + ", ".join(f"{name}={'/'.join(values)}" for name, values in only.items()) if only else ""


def find_model(slug: str) -> Model:
    return Model.objects.filter(slug=slug).first() or _missing("model", slug, _slugs(Model.objects.all(), "slug"))


def find_pack(benchmark: str, name: str | None = None) -> Pack:
    """The named pack; without a name, the newest pack on boards."""
    packs = Pack.objects.filter(benchmark=find_benchmark(benchmark).slug)
    if name is None:
        return packs.on_boards().order_by("-created_at").first() or _missing("pack", f"of {benchmark}", [])
    return packs.filter(name=name).first() or _missing("pack", name, _slugs(packs, "name"))


def find_run(pk: int) -> Run:
    return Run.objects.select_related("model", "pack").filter(pk=pk).first() or _missing(
        "run", str(pk), (str(last) for last in Run.objects.order_by("-pk").values_list("pk", flat=True)[:5])
    )


def _slugs(rows, field: str) -> list[str]:
    return list(rows.order_by(field).values_list(field, flat=True)[:40])


def _missing(what: str, name: str, existing: Iterable[str]):
    names = ", ".join(existing)
    raise RunMisused(f"there is no {what} {name}; there is: {names}" if names else f"there is no {what} {name} yet")
