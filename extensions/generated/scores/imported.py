"""Published scores of judges and means of people as answers, so that their board is made like that of a round."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from extensions.generated.models import Generator, Judge, JudgeReading, PromptPack
from extensions.generated.scores.answers import JUDGE, REPORTED, Answerer, RaterAnswers, RoundAnswers
from extensions.generated.scores.rated_rows import RatedRow, RatedRows


def imported_answers(pack: PromptPack) -> RoundAnswers:
    """Each judge's first reading of a generator is on the board, and later ones test it."""
    readings = list(JudgeReading.objects.filter(judge__pack=pack).order_by("stamp", "file"))
    printed = list(pack.reported_rows.all())
    known = {reading.generator_id for reading in readings} | {row.generator_id for row in printed}
    generators = list(Generator.objects.filter(pk__in=known))
    rows = {generator.pk: place for place, generator in enumerate(generators)}
    prompts = list(pack.prompts.values_list("key", flat=True))
    clips = np.arange(len(generators) * len(prompts))
    found = RatedRows(
        pack,
        tuple(map(RatedRow.of, generators)),
        tuple(prompts),
        clips // max(1, len(prompts)),
        clips % max(1, len(prompts)),
        (None,) * len(clips),
    )
    passes: dict[int, dict[int, list[JudgeReading]]] = defaultdict(lambda: defaultdict(list))
    for reading in readings:
        passes[reading.judge_id][rows[reading.generator_id]].append(reading)
    judges = [_judge(found, judge, passes[judge.pk]) for judge in pack.judges.all()]
    means: dict[str, dict[int, float]] = defaultdict(dict)
    for row in printed:
        for column, mean in row.scores.items():
            means[column][rows[row.generator_id]] = mean
    people = [Answerer("people", "People", REPORTED, _answers(found, {}), printed=means)] if printed else []
    return RoundAnswers(found, (*people, *judges))


def _judge(found: RatedRows, judge: Judge, passes: Mapping[int, Sequence[JudgeReading]]) -> Answerer:
    """A judge from its readings of each row, oldest first."""
    answers = [
        _answers(found, {row: each[turn] for row, each in passes.items() if turn < len(each)})
        for turn in range(max(map(len, passes.values()), default=1))
    ]
    return Answerer(judge.slug, judge.title, JUDGE, answers[0], again=tuple(answers[1:]))


def _answers(found: RatedRows, readings: dict[int, JudgeReading]) -> RaterAnswers:
    """The scores of one reading of each row."""
    prompts = {key: place for place, key in enumerate(found.prompts)}
    numbers = {scale.dimension.name: number for number, scale in enumerate(found.scales)}
    flat = [
        (row * len(prompts) + prompts[prompt], numbers[name], np.nan if step is None else step)
        for row, reading in readings.items()
        for prompt, steps in reading.scores.items()
        for name, step in steps.items()
    ]
    clips, dimensions, values = np.array(flat, float).reshape(-1, 3).T
    nobody = np.zeros(len(values), np.int64)
    wanted = np.zeros((len(found.rows), len(found.scales) + 2), np.int64)
    return RaterAnswers(clips.astype(np.int64), dimensions.astype(np.int64), nobody, values, nobody, wanted)
