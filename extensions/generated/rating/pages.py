"""The pages on which people rate generated clips, and the answers that each takes.

A page is a form of radio buttons. Its answer is stored as text: `PC=2 persistence=na` of a clip's dimensions,
`PC=2/4/na` of three clips beside each other, the value of a pair, and of a first break `none`, `na`, or
`break=4.7 kind=vanishes severity=2`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.rated_dimensions import CANT_TELL, RatedDimension, rating_text, ratings_in
from benchmarks.models import Item
from humantrials.errors import BadForm
from humantrials.protocols.protocol import Option, Player, Text
from humantrials.protocols.trial_types import VIDEO_CHOICE, TrialType
from measures.scores.moment_answers import is_moment_within
from measures.scores.number_answers import typed_number

HOW_GOOD, HOW_GOOD_EACH = gettext_noop("How do you rate this clip?"), gettext_noop("How do you rate each clip?")
WHICH_OF_TWO = gettext_noop("In which clip is more of it possible in the real world?")
IS_BROKEN = gettext_noop("Does something happen that can’t happen in the real world?")
PAIR, SEEN, KIND, SEVERITY, MOMENT = "pair", "seen", "kind", "severity", "moment"  # names of questions
FIELD = "choice-"  # before the name of a question: a page has fields of its own beside them
NO_BREAK, BREAK = "none", "break"
NEXT, THEN_TEXT = "next", "text"  # values of the button that sends the form, by what comes then
THREE, BETWEEN = "ABC", "/"  # names of clips beside each other; what stands between their values of a dimension


@dataclass(frozen=True)
class RadioButton:
    """One radio button: the value that is stored, its words, and a smaller line below these."""

    value: str
    anchor: Text
    hint: Text = ""


@dataclass(frozen=True)
class RadioGroup:
    """One question of a page, with its radio buttons side by side as `layout` says."""

    name: str
    question: Text  # "" = the page's own
    buttons: tuple[RadioButton, ...]
    hint: Text = ""
    can_skip: bool = True
    layout: str = "scale"

    @property
    def answers(self) -> tuple[str, ...]:
        return (*(button.value for button in self.buttons), *([CANT_TELL] if self.can_skip else []))


def radio_group(dimension: RatedDimension) -> RadioGroup:
    buttons = tuple(RadioButton(step.value, step.anchor) for step in dimension.steps)
    return RadioGroup(dimension.name, dimension.question, buttons, dimension.hint, dimension.can_skip)


def _buttons(**words: Text | tuple[Text, Text]) -> tuple[RadioButton, ...]:
    """Buttons by their values: the words on each, with a smaller line or without."""
    return tuple(RadioButton(value, *(text if isinstance(text, tuple) else (text,))) for value, text in words.items())


SIDES = RadioGroup(
    PAIR,
    "",
    _buttons(
        a=("A", _("more possible")),
        b=("B", _("more possible")),
        equal=(_("Equal"), _("both equally possible")),
        bad=(_("Both bad"), _("neither could happen")),
    ),
    layout="four",
)
YES, NO = _("Yes: I mark where it starts"), _("No break: all I saw could happen")
WHETHER = RadioGroup(SEEN, "", _buttons(**{BREAK: YES, NO_BREAK: NO}), layout="one")
KINDS = _buttons(
    passes=_("Passes through something"),
    vanishes=_("Vanishes or appears"),
    falls=_("Falls or floats wrongly"),
    moves=_("Moves or stops without a cause"),
    reacts=_("Reacts wrongly when hit"),
    bends=_("Bends, splits or melts wrongly"),
    turns=_("Turns into another thing"),
    look=_("Changes its look"),
)
WHAT_BREAKS = RadioGroup(KIND, _("What breaks?"), KINDS, can_skip=False, layout="two")
SEVERITIES = _buttons(**{"1": _("Subtle"), "2": _("Clear"), "3": _("Breaks the scene")})
HOW_BAD = RadioGroup(SEVERITY, _("How bad is it?"), SEVERITIES, can_skip=False)


@dataclass(frozen=True)
class FormPage(TrialType):
    """A page whose answer is a form of radio buttons."""

    groups: tuple[RadioGroup, ...] = ()

    def answered(self, posted: Mapping[str, str], names: Sequence[str], **problems: str) -> dict[str, str]:
        """The chosen values of these questions in the order of the page; BadForm names those that lack one."""
        problems |= {name: gettext("Please choose one of these.") for name in names if not posted.get(FIELD + name)}
        if problems or not names:
            raise BadForm(gettext("Something is not answered yet."), problems)
        return {group.name: posted[FIELD + group.name] for group in self.groups if group.name in names}


class RatingPage(FormPage):
    """One page about a clip or three: the questions whose names the field `asked` has, with blanks."""

    def answer_in(self, posted: Mapping[str, str]) -> str:
        values = defaultdict[str, list[str]](list)
        for name, value in self.answered(posted, posted.get("asked", "").split()).items():
            values[dimension_in(name)].append(value)
        return rating_text({name: BETWEEN.join(each) for name, each in values.items()})


def dimension_in(name: str) -> str:
    """The dimension that a question is about: PC of A.PC."""
    return name.rpartition(".")[2]


def of_each_clip(answer: str, count: int) -> list[str]:
    """A stored answer about so many clips as one about each: PC=2/4/na as PC=2, PC=4 and PC=na."""
    if count == 1:
        return [answer]
    values = {name: each.split(BETWEEN) for name, each in ratings_in(answer).items()}
    return [rating_text({name: each[place] for name, each in values.items()}) for place in range(count)]


class PairPage(FormPage):
    """Two clips of one prompt."""

    def answer_in(self, posted: Mapping[str, str]) -> str:
        return self.answered(posted, [PAIR])[PAIR]


class BreakPage(FormPage):
    """The first break of a clip; time, kind and severity of who saw none are ignored."""

    def answer_in(self, posted: Mapping[str, str]) -> str:
        seen = self.answered(posted, [SEEN])[SEEN]
        if seen != BREAK:
            return seen
        chosen = self.answered(posted, [KIND, SEVERITY], **self._problem_of_moment(posted))
        return rating_text({BREAK: f"{float(typed_number(posted[MOMENT]) or 0):g}", **chosen})

    def _problem_of_moment(self, posted: Mapping[str, str]) -> dict[str, str]:
        number, length = typed_number(posted.get(MOMENT, "")), typed_number(posted.get("length", ""))
        if number is None:
            return {MOMENT: gettext("Please write the second at which it starts, such as 4.7.")}
        if length is not None and not 0 <= float(number) <= float(length):
            return {MOMENT: gettext("The clip lasts from 0 to %(seconds)s seconds.") % {"seconds": length}}
        return {}


PAIR_PAGE = PairPage("generated/participant/pair.html", VIDEO_CHOICE.records, groups=(SIDES,))
OF_BREAK = (WHETHER, WHAT_BREAKS, HOW_BAD)
BREAK_PAGE = BreakPage("generated/participant/break.html", VIDEO_CHOICE.records, MOMENT, OF_BREAK)


def rating_page(dimensions: Iterable[RatedDimension]) -> RatingPage:
    groups = tuple(map(radio_group, dimensions))
    return RatingPage("generated/participant/clip.html", VIDEO_CHOICE.records, groups=groups)


def triple_page(dimensions: Iterable[RatedDimension]) -> RatingPage:
    """The questions of each dimension about the three clips follow each other, for three columns."""
    groups = tuple(
        replace(group, name=f"{clip}.{group.name}", question=f"{clip}: {group.question}")
        for group in map(radio_group, dimensions)
        for clip in THREE
    )
    return RatingPage("generated/participant/triple.html", VIDEO_CHOICE.records, groups=groups)


@dataclass(frozen=True)
class FormPlayer(Player):
    """A page with one button, which sends the form."""

    def options_for(self, item: Item) -> tuple[Option, ...]:
        return (Option(NEXT, _("Next")),)

    @property
    def keys(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class RatingPlayer(FormPlayer):
    """Asks about the dimensions whose levels an item has."""

    dimensions: tuple[RatedDimension, ...] = ()

    def dimensions_at(self, levels: Collection[str]) -> tuple[RatedDimension, ...]:
        return tuple(dimension for dimension in self.dimensions if dimension.level in levels)

    def accepts(self, value: str, item: Item) -> bool:
        ratings, wanted = ratings_in(value), self.dimensions_at(item.facet_values("level"))
        if not wanted or [*ratings] != [one.name for one in wanted] or rating_text(ratings) != value:
            return False
        parts = [(ratings[one.name].split(BETWEEN), one.answers) for one in wanted]
        return all(len(own) == self.clips and set(own) <= set(answers) for own, answers in parts)

    def label(self, value: str) -> Text:
        ratings = ratings_in(value)
        return ", ".join(f"{one.title}: {ratings[one.name]}" for one in self.dimensions if one.name in ratings) or value


class PairPlayer(FormPlayer):
    def accepts(self, value: str, item: Item) -> bool:
        return value in SIDES.answers


class BreakPlayer(FormPlayer):
    def accepts(self, value: str, item: Item) -> bool:
        parts = ratings_in(value)
        if [*parts] != [BREAK, KIND, SEVERITY] or rating_text(parts) != value:
            return value in (NO_BREAK, CANT_TELL)
        is_known = parts[KIND] in WHAT_BREAKS.answers and parts[SEVERITY] in HOW_BAD.answers
        return is_known and is_moment_within(parts[BREAK], item.clip.seconds if item.clip else 0.0)
