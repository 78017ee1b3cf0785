"""Rounds with answers, as the tables hold them."""

from benchmarks.models import ItemFacet
from evaluation.models import ModelRole
from extensions.generated.models import (
    ClipSet,
    ClipSetState,
    GeneratedClip,
    Generator,
    Prompt,
    PromptPack,
    RatedClip,
    RatingRound,
)
from humantrials.models import Judgment, Participant, Sheet, Slot, TrialState
from tests.factories import counter, make_answers, make_item, make_model, make_pack, make_run, make_trial

ANCHORS = ["None of it", "Little", "Half", "Most", "All of it"]
DIMENSIONS = (
    {"name": "PC", "title": "Physical plausibility", "question": "How much could happen?", "anchors": ANCHORS},
    {
        "name": "SA",
        "title": "Fits the prompt",
        "question": "How much is there?",
        "anchors": ANCHORS,
        "shows_prompt": True,
    },
)


def made_pack(slug="made", prompts=4, dimensions=DIMENSIONS, laws=lambda number: [], **values):
    definition = [{**one, "level": f"d{number}"} for number, one in enumerate(dimensions, 1)]
    pack = PromptPack.objects.create(slug=slug, title=slug.capitalize(), definition=definition, **values)
    Prompt.objects.bulk_create(
        Prompt(pack=pack, key=f"prompt-{number}", text=f"Prompt {number}", laws=laws(number))
        for number in range(prompts)
    )
    return pack


def made_set(pack, name, role="generator", takes=1, truth=lambda prompt, take: None, **values):
    generator, _ = Generator.objects.get_or_create(slug=name, defaults={"title": name.capitalize(), "role": role})
    values = {"state": ClipSetState.LISTED, "identity": name, "key": f"key-{name}"} | values
    clip_set = ClipSet.objects.create(pack=pack, generator=generator, slug=name, title=name.capitalize(), **values)
    GeneratedClip.objects.bulk_create(
        GeneratedClip(
            clip_set=clip_set, prompt=prompt, take=str(take), sha256=f"{next(counter):064x}", truth=truth(number, take)
        )
        for number, prompt in enumerate(pack.prompts.all())
        for take in range(takes)
    )
    return clip_set


def made_round(pack, sets, slug="first"):
    """A round with a page for dimensions without the prompt, one for those with it, and a question of breaks."""
    found = RatingRound.objects.create(
        pack=pack, slug=slug, title=slug.capitalize(), questions=make_pack(benchmark=pack.slug, name=slug)
    )
    for clip in GeneratedClip.objects.filter(clip_set__in=sets).select_related("prompt"):
        asked = [one for one in pack.dimensions if one.applies_to(clip.prompt.laws)]
        for shows_prompt in (False, True):
            if levels := tuple(one.level for one in asked if one.shows_prompt == shows_prompt):
                _ask(found, "clip", levels, [clip])
        _ask(found, "break", ("b",), [clip])
    return found


def made_pairs(found, first, second):
    """Both orders of these two sets on each prompt."""
    for clip in first.clips.all():
        other = second.clips.get(prompt=clip.prompt, take=clip.take)
        for both in ([clip, other], [other, clip]):
            _ask(found, "pair", ("p",), both)


def made_triples(found, sets):
    """A page for dimensions without the prompt and one for those with it, about the clips of three sets."""
    for clips in zip(*(each.clips.order_by("prompt__key") for each in sets), strict=True):
        for shows_prompt in (False, True):
            levels = tuple(one.level for one in found.pack.dimensions if one.shows_prompt == shows_prompt)
            _ask(found, "triple", levels, clips)


def _ask(found, kind, levels, clips):
    number = next(counter)
    item = make_item(
        found.questions,
        kind=kind,
        key=f"key-{number}",
        variant="",
        expected=None,
        answer_kind="rating",
        options=["1", "na"],
    )
    ItemFacet.objects.filter(item=item, name="level").delete()
    ItemFacet.objects.bulk_create(ItemFacet(item=item, name="level", value=level) for level in levels)
    for place, clip in enumerate(clips):
        RatedClip.objects.create(item=item, place=place, round=found, clip=clip)


def people_say(found, say, people=6, **values):
    """A closed study: each person answers each question by `say(clips, dimensions, person)`; None is no answer."""
    trial = make_trial(found.questions, **{"state": TrialState.CLOSED, **values})
    sheets = [Sheet.objects.create(trial=trial, order=next(counter)) for _ in range(people)]
    persons = [
        Participant.objects.create(trial=trial, token=f"t{next(counter)}", code=f"c{next(counter)}")
        for number in range(people)
    ]
    for item, clips, names in asked_in(found):
        slots = Slot.objects.bulk_create(
            Slot(trial=trial, sheet=sheet, item=item, replicate=number, position=next(counter))
            for number, sheet in enumerate(sheets)
        )
        said = [(slot, person, say(clips, names, number)) for number, (slot, person) in enumerate(zip(slots, persons))]
        Judgment.objects.bulk_create(
            Judgment(
                trial=trial, slot=slot, participant=person, item=item, answer=answer, raw=answer, counts=True, epoch=1
            )
            for slot, person, answer in said
            if answer is not None
        )
    return trial


def asked_in(found):
    """Each question with its clips and the names of the dimensions that it asks about."""
    names = {one.level: one.name for one in found.pack.dimensions}
    for item in found.questions.items.order_by("pk"):
        clips = [
            asked.clip for asked in item.asked_clips.order_by("place").select_related("clip__clip_set", "clip__prompt")
        ]
        levels = sorted(item.facets.filter(name="level").values_list("value", flat=True))
        yield item, clips, [names[level] for level in levels if level in names]


def judge_says(found, say, slug="judge", role=ModelRole.MODEL, **values):
    """Finished runs of one judge, one for each dimension; `say(clip, name)` gives its answer, None: not readable."""
    model = values.pop("model", None) or make_model(slug=slug, name=slug.capitalize(), kind="scripted", role=role)
    for name in [one.name for one in found.pack.dimensions]:
        run = make_run(found.questions, model=model, strategy=f"{found.pack.slug}-rate-{name}", **values)
        make_answers(run, {item: say(clips[0], name) for item, clips, names in asked_in(found) if name in names})
    return model


def judge_compares(found, say, model):
    """A finished run of a judge on all pairs; `say(first, second)` gives its answer."""
    run = make_run(found.questions, model=model, strategy=f"{found.pack.slug}-pair")
    make_answers(run, {item: say(*clips) for item, clips, _ in asked_in(found) if len(clips) == 2})
    return run
