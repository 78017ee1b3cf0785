"""Questions that visitors of the home page may try: a clip, the question as participants read it, and its answer.

Nothing of a try is stored. Only items whose answers are public, and whose clips no open study uses, are among them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, known_answers, open_answers
from benchmarks.disclosure.doors import policy_of
from benchmarks.models import Item
from humantrials.protocols import PROTOCOLS
from humantrials.protocols.protocol import Option, Player, Protocol
from leaderboard.items.item_detail import Difficulty, Teaser, difficulty, dots_of, public_items, right_votes, votes_on
from leaderboard.items.item_media import pictures_of

SAMPLES = 3
MODELS = 4  # whose replies are listed
LOOKED_AT = 12  # items of a benchmark, until some can be played


@dataclass(frozen=True)
class SampleQuestion:
    """One item as participants are asked it, with how often people and models were right where that is public."""

    item: Item
    benchmark: Benchmark
    clip: Teaser
    sentence: str
    options: tuple[Option, ...]
    right: Option
    difficulty: Difficulty
    simulated: tuple[int, int]  # right votes of simulated people, and all of theirs
    replies: tuple[dict, ...] = ()  # one reply of each model

    @property
    def heading(self) -> str:
        """The question in a few words, where a visitor can see what it is about."""
        return "Could this happen?" if self.item.kind == "plausibility" else self.sentence

    @property
    def answers(self) -> list[tuple[Option, str]]:
        """Each option with the words of its button."""
        brief = {"yes": "Yes, it could", "no": "No, it couldn’t"} if self.item.kind == "plausibility" else {}
        return [(option, brief.get(option.value, str(option.label))) for option in self.options]

    @property
    def verdict(self) -> str:
        """The right answer, as the end of a sentence."""
        brief = {"yes": "it could", "no": "it couldn’t"} if self.item.kind == "plausibility" else {}
        return brief.get(self.right.value, f"“{self.right.label}”")

    @property
    def seconds(self) -> int:
        """How long its clip takes, in whole seconds."""
        return round(self.item.media.all()[0].clip.seconds)


def sample_questions() -> list[SampleQuestion]:
    """At most `SAMPLES` questions, one of each benchmark in turn."""
    rounds = zip_longest(*(_candidates(benchmark) for benchmark in BENCHMARKS.values()))
    return [make() for make in islice(filter(None, chain.from_iterable(rounds)), SAMPLES)]


def _candidates(benchmark: Benchmark) -> Iterator[Callable[[], SampleQuestion]]:
    """What makes a question of each item of a benchmark that can be played and answered on one page, those about what
    can happen first."""
    protocols = protocols_by_kind(benchmark)
    if not protocols:
        return
    items = list(public_items(benchmark).filter(known_answers(), kind__in=protocols)[:LOOKED_AT])
    known = open_answers(items, to=PUBLIC)
    for item in items:
        expected = known[item.pk].expected or ""
        pictures, protocol = pictures_of(item, policy_of(item.pack)), protocols[item.kind]
        is_alone = len(item.media.all()) == 1
        if is_alone and "video" in pictures and protocol.player.accepts(expected, item):
            clip = Teaser(item.get_absolute_url(), pictures["video"], pictures.get("poster", ""))
            yield partial(_question, item, expected, benchmark, clip, protocol.player)


def protocols_by_kind(benchmark: Benchmark) -> dict[str, Protocol]:
    """Kind of question -> the first protocol that asks people this about one clip, with buttons for the answers."""
    found: dict[str, Protocol] = {}
    for protocol in PROTOCOLS.values():
        player = protocol.player
        has_buttons = not (player.shows_frames or player.has_moments or player.has_numbers)
        if (
            protocol.pool.benchmark == benchmark.slug
            and player.clips == 1
            and has_buttons
            and protocol.analysis.has_right_answers
        ):
            found.setdefault(protocol.pool.kind, protocol)
    return found


def _question(item: Item, expected: str, benchmark: Benchmark, clip: Teaser, player: Player) -> SampleQuestion:
    votes, dots = votes_on(item)[0], dots_of(item)
    scores, replies = [dot["value"] for dot in dots], {dot["model"]: dot for dot in reversed(dots)}
    options = player.options_for(item)
    return SampleQuestion(
        item=item,
        benchmark=benchmark,
        clip=clip,
        sentence=player.page_sentence(item.text),
        options=options,
        right=next(option for option in options if option.value == expected),
        difficulty=difficulty(expected, scores.count(1), len(scores), votes),
        simulated=right_votes(expected, (vote for vote in votes if vote.trial.is_simulated)),
        replies=tuple(list(replies.values())[::-1][:MODELS]),
    )
