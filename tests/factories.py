"""One function per model that creates a valid row; a test names only the values that matter."""

import hashlib
from collections.abc import Iterable, Mapping

from django.db.models import Exists, OuterRef

from benchmarks.disclosure import SCORER, Answer, expected_of
from benchmarks.disclosure.readers import store_answers
from benchmarks.models import Clip, Item, ItemFacet, ItemMedia, Origin, Pack, Rendition, RenditionKind
from benchmarks.models.answers import ItemAnswer, ItemSeal
from evaluation.models import (
    REFERENCES,
    Cell,
    CellState,
    Listing,
    Model,
    ModelResponse,
    Reading,
    Run,
    RunState,
    Score,
    role_of_kind,
)
from humantrials.models import Participant, Sheet, Slot, Trial, TrialState


class Counter:
    """Numbers from 1; unlike those of `itertools`, the last one can be read and set."""

    def __init__(self) -> None:
        self.last = 0

    def __next__(self) -> int:
        self.last += 1
        return self.last


counter, ids = Counter(), Counter()


def drawn_bytes(size: int) -> bytes:
    """Pseudorandom bytes, which depend only on the number of earlier ones."""
    return hashlib.sha256(b"%d" % (next(ids) - 1)).digest()[:size]


def make_pack(**values) -> Pack:
    number = next(counter)
    return Pack.objects.create(
        **{
            "benchmark": "grasp",
            "name": f"pack-{number}",
            "title": f"Pack {number}",
            "origin": Origin.GENERATED,
            "profile": "corrected",
            "definition_version": "1.0",
            "manifest_hash": f"{number:064x}",
            **values,
        }
    )


def make_clip(pack: Pack | None = None, **values) -> Clip:
    number = next(counter)
    clip = Clip.objects.create(
        **{
            "pack": pack or make_pack(),
            "key": f"level1/ColorRed/{number:03}",
            "sha256": f"{number:064x}",
            "width": 320,
            "height": 240,
            "fps": 25.0,
            "frames": 250,
            "seconds": 10.0,
            **values,
        }
    )
    Rendition.objects.create(
        clip=clip, kind=RenditionKind.ORIGINAL, name=f"opaque{number}.mp4", sha256=f"{number:064x}", size=65536
    )
    return clip


def make_item(
    pack: Pack | None = None, *, clip: Clip | None = None, facets: dict[str, tuple[str, ...]] | None = None, **values
) -> Item:
    number = next(counter)
    pack = pack or (clip.pack if clip else make_pack())
    answer = Answer(values.pop("expected", "yes"), values.pop("reference", {}))
    item = Item.objects.create(
        **{
            "pack": pack,
            "key": f"level1/ColorRed/{number:03}",
            "kind": "binary",
            "variant": "true",
            "public_id": f"item{number:08}",
            "draw_key": f"draw{number:08}",
            "text": "The ball on the table is red. Is this true? Answer only with yes or no.",
            "lead_in": "What color is the object on the table?",
            "answer_kind": "yes-no",
            "options": ["yes", "no"],
            **values,
        }
    )
    store_answers({item.pk: answer})
    if clip:
        ItemMedia.objects.create(item=item, clip=clip)
    facets = {"level": ("1",), "test": ("Color",), "polarity": ("positive",), "split": ("all",)} | (facets or {})
    ItemFacet.objects.bulk_create(ItemFacet(item=item, name=n, value=v) for n, vs in facets.items() for v in vs)
    return item


def answer_to(item: Item) -> str | None:
    """The expected answer, whoever may know it."""
    return expected_of(item, to=SCORER)


def set_expected(items: Iterable[Item], expected: str | None) -> None:
    """Make this the expected answer of these items without sealing them; None makes their answers unknown."""
    for item in items:
        ItemAnswer.objects.update_or_create(item=item, defaults={"expected": expected})


def expects(expected: str, item: str = "") -> Exists:
    """Condition for items, or for rows with a relation `item` to one: this is the expected answer."""
    own = OuterRef(f"{item}_id" if item else "pk")
    return Exists(ItemAnswer.objects.filter(item=own, expected=expected))


def sealed(by: str | None = None) -> Exists:
    """Condition for items that carry a seal, or the seal of this name."""
    return Exists(ItemSeal.objects.filter(item=OuterRef("pk"), **({"by": by} if by else {})))


def make_model(**values) -> Model:
    number = next(counter)
    values = {"slug": f"model-{number}", "name": f"Model {number}", "kind": "always-yes", **values}
    return Model.objects.create(**{"role": role_of_kind(values["kind"]), **values})


def make_run(pack: Pack | None = None, **values) -> Run:
    return Run.objects.create(
        **{
            "model": values.pop("model", None) or make_model(),
            "pack": pack or make_pack(),
            "strategy": "binary",
            "condition": "video",
            "split": "all",
            "sampler": "uniform-8",
            "sampling": {"temperature": 0.0},
            "seeds": [0],
            "parser": "grasp-paper",
            "parser_version": "2",
            "state": RunState.FINISHED,
            "listing": Listing.LISTED,
            **values,
        }
    )


def make_answer(
    run: Run, item: Item, answer: str | None = "yes", *, seed: int = 0, score: float | None = None
) -> Score:
    """An answered cell with its response, reading and score; the answer None makes an unparsed reply."""
    cell = Cell.objects.create(run=run, shard=None, item=item, seed=seed, state=CellState.ANSWERED)
    response = ModelResponse.objects.create(cell=cell, raw=answer or "hm")
    reading = Reading.objects.create(
        response=response,
        parser=run.parser,
        version=run.parser_version,
        answer=answer or "",
        problem="" if answer else "unread",
    )
    value = score if score is not None else float(answer is not None and answer == answer_to(item))
    return Score.objects.create(reading=reading, value=value, referee=run.referee)


def make_answers(run: Run, answers: Mapping[Item, str | None]) -> None:
    """What `make_answer` makes, for many items at once."""
    cells = Cell.objects.bulk_create(
        Cell(run=run, shard=None, item=item, seed=0, state=CellState.ANSWERED) for item in answers
    )
    responses = ModelResponse.objects.bulk_create(
        ModelResponse(cell=cell, raw=answers[cell.item] or "hm") for cell in cells
    )
    readings = Reading.objects.bulk_create(
        Reading(
            response=response,
            parser=run.parser,
            version=run.parser_version,
            answer=answer or "",
            problem="" if answer else "unread",
        )
        for response, answer in zip(responses, answers.values(), strict=True)
    )
    Score.objects.bulk_create(
        Score(reading=reading, value=float(answer is not None and answer == answer_to(item)), referee=run.referee)
        for reading, (item, answer) in zip(readings, answers.items(), strict=True)
    )


def make_validation(referee: str, benchmark: str = "giraffe") -> None:
    """Make this referee's runs on positive and random samples, without which its scores can't be listed."""
    model = Model.objects.filter(slug=referee).first() or make_model(slug=referee, kind="scripted")
    pack = Pack.objects.filter(benchmark=benchmark).first() or make_pack(benchmark=benchmark)
    how = {"share": 0.15, "seed": 0, "paraphraser": "by rule", "datasets": {}}
    for slug in REFERENCES:
        known = Model.objects.filter(slug=slug).first() or make_model(slug=slug, kind="uploaded")
        values = {"strategy": "reference", "parser": "enumerated", "listing": Listing.PRIVATE, "limit": 1}
        run = make_run(pack, model=known, kind="uploaded", card={"validation": how}, **values)
        make_run(pack, model=model, kind="referee", judged=run, **values | {"strategy": "referee", "limit": None})


def make_trial(pack: Pack | None = None, **values) -> Trial:
    number = next(counter)
    return Trial.objects.create(
        **{
            "slug": f"trial-{number}",
            "title": f"Trial {number}",
            "protocol": "grasp-plausibility",
            "pack": pack or make_pack(),
            "state": TrialState.OPEN,
            **values,
        }
    )


def make_participant(trial: Trial | None = None, **values) -> Participant:
    number = next(counter)
    return Participant.objects.create(
        **{"trial": trial or make_trial(), "token": f"token-{number}", "code": f"code-{number}", **values}
    )


def make_sheet(trial: Trial, items: list[Item], **values) -> Sheet:
    sheet = Sheet.objects.create(**{"trial": trial, "order": next(counter), **values})
    for position, item in enumerate(items):
        replicate = Slot.objects.filter(trial=trial, item=item).count()
        Slot.objects.create(trial=trial, sheet=sheet, item=item, replicate=replicate, position=position)
    return sheet
