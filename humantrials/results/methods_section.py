"""The methods section about a trial, written from its protocol and its numbers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.conf import settings
from django.template.defaultfilters import pluralize
from django.utils.translation import override

from benchmarks.definitions.registry import find_benchmark
from humantrials.judging.attention_checks import attention_count, attention_repeats
from humantrials.judging.exclusion_rules import (
    PRIMARY,
    answers_in_doubt,
    left_out,
    people_by_rule,
    people_out,
    registration,
    rules_of,
)
from humantrials.models import ParticipantKind, ParticipantState, TextPart, Trial
from humantrials.planning.authored_texts import consent_versions, quiz_in, texts_of
from humantrials.planning.between_clips import limits_of
from humantrials.planning.questionnaires import read_questions
from humantrials.planning.second_round import round_progress
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.scales import scale_of
from humantrials.protocols.settings import SLIDES, as_typed, setting, stills_wanted
from humantrials.results.figures import ConditionSummary, public_summaries
from humantrials.results.judgments import ItemVote, JudgmentRow, TrialAnswers, both_rounds, is_mean
from humantrials.results.moments import figures_of_trial, sentences_of
from humantrials.running.attrition import flow, people_of
from measures.figures import Interval, PeopleFigure

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LATEX = {
    "\\": r"\textbackslash{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "′": r"$'$",
}


@dataclass(frozen=True)
class Methods:
    """Two paragraphs in plain English text: how people were asked, and the results."""

    procedure: str
    results: str

    @property
    def latex(self) -> str:
        return "\n\n".join(as_latex(text) for text in (self.procedure, self.results)) + "\n"


def methods_of(trial: Trial, parts: Sequence[ConditionSummary], exclusion: str = PRIMARY) -> Methods:
    """Write the paragraphs; `parts` are the summaries under this exclusion, one per condition, at least one."""
    with override("en"):
        return Methods(
            " ".join(_procedure(trial, [part.answers for part in parts])), " ".join(_results(trial, parts, exclusion))
        )


def public_methods(trial: Trial) -> Methods | None:
    """The paragraphs as everybody may read them; None until results are shown, and of studies without results."""
    if not find_protocol(trial.protocol).analysis.has_figures:
        return None
    parts, wait = public_summaries(trial)
    return None if wait else methods_of(trial, parts)


def _procedure(trial: Trial, parts: Sequence[TrialAnswers]) -> list[str]:
    protocol, benchmark = find_protocol(trial.protocol), find_benchmark(trial.pack.benchmark)
    pack, items = trial.pack, len({vote.item_id for part in parts for vote in part.votes})
    judged = len({vote.item_id for part in parts for vote in part.votes if vote.n})
    of_planned = f"{items}" if judged == items else f"{judged} of {items} planned"
    sheets = Counter(trial.slots.values_list("sheet_id", flat=True)).values()
    shortest, longest = min(sheets, default=0), max(sheets, default=0)
    each = _number(longest) if shortest == longest else f"{_number(shortest)} to {_number(longest)}"
    what, one = _what(protocol, longest).replace("video ", ""), _what(protocol, 1).replace("video ", "")
    one += " in each condition" if len(parts) > 1 else ""
    replicates = setting(trial.settings, "replicates", protocol)
    parts_of_study = (_follow_up_questions, _second_round, _breaks, _equipment, _quiz, _own_questions)
    return [
        f"{'Simulated participants (a program)' if trial.is_simulated else 'People'} judged {of_planned}"
        f" {_what(protocol, items)} of {benchmark.title} ({pack.origin} clips, pack {pack.name}, manifest"
        f" {pack.manifest_hash[:12]}).",
        f"Each participant saw {each} {what}, {protocol.design.each_gets}, in an order drawn from"
        f" {trial.source_of_draws}; {_number(replicates)} participant{'s were' if replicates > 1 else ' was'} wanted"
        f" for every {one}{_reached(parts, replicates, one)}.",
        *_media_sentences(trial, protocol),
        f"Under the {_media_name(protocol)} stood {_sentences(trial, protocol)}",
        f"The answers were {_answers(protocol)}{_opened(protocol)}.",
        *_marking(protocol),
        *chain.from_iterable(part(trial) for part in parts_of_study),
        "One practice clip with feedback came first." if trial.has_practice else "There was no practice clip.",
        f"Participants gave informed consent (version {consent_versions(trial)}); {_attention(trial)}, and nobody's"
        " work was rejected.",
        *([f"Ethics approval: {trial.settings['ethics'].rstrip('.')}."] if trial.settings.get("ethics") else []),
        f"Protocol {protocol.name}, design {trial.design_hash[:12]}.",
    ]


def _media_sentences(trial: Trial, protocol: Protocol) -> list[str]:
    """A sentence about media other than one clip: stills, or the clip beside its twin."""
    if protocol.player.has_twin:
        return ["Each clip was shown before its twin, the same draw with or without the violation, side by side."]
    if not protocol.player.shows_frames:
        return []
    stills = stills_wanted(trial.settings)
    how = "one after the other as slides" if trial.settings.get("layout") == SLIDES else "side by side"
    return [
        f"Each clip was shown as {_number(stills)} still{'' if stills == 1 else 's'}, evenly spaced, as models get"
        f" them, {how}."
    ]


def _media_name(protocol: Protocol) -> str:
    if protocol.player.clips > 1:
        return "two clips"
    return "pictures" if protocol.player.has_pictures or protocol.player.shows_frames else "clip"


def _marking(protocol: Protocol) -> list[str]:
    if not protocol.analysis.by_moment:
        return []
    return [
        "While a clip played the first time, participants pressed a key when they noticed something impossible; then"
        " they moved a slider to the moment."
    ]


def _reached(parts: Sequence[TrialAnswers], wanted: int, one: str) -> str:
    """The number of answers to a judged item, if it is not the wanted one; "" before there is any."""
    found = sorted({vote.n + part.abstained.get(vote.item_id, 0) for part in parts for vote in part.votes if vote.n})
    if not found or found == [wanted]:
        return ""
    many = f"{_number(found[0])} to {_number(found[-1])}" if len(found) > 1 else _number(found[0])
    return f", and {many} count for each judged {one}"


def _follow_up_questions(trial: Trial) -> list[str]:
    """Sentences about the follow-up questions."""
    scale, share = scale_of(trial.settings), trial.settings.get("why")
    found = [f"After each answer participants said how sure they were, on {scale.words}."] if scale else []
    if share:
        found.append(f"After {100 * share:g} % of the answers, drawn for each sheet, they were asked why.")
    return found


def _quiz(trial: Trial) -> list[str]:
    quiz = quiz_in(trial, settings.LANGUAGE_CODE)
    if not quiz.questions:
        return []
    many = f"{_number(len(quiz.questions))} question{'' if len(quiz.questions) == 1 else 's'}"
    return [f"Before, {many} on the instructions had to be answered right within {_number(quiz.attempts)} attempts."]


def _equipment(trial: Trial) -> list[str]:
    gates = trial.settings.get("gates")
    return [f"Only people with this equipment were let in: {as_typed(gates)}."] if gates else []


def _own_questions(trial: Trial) -> list[str]:
    """How many questions of the author's were asked before and after the items."""
    texts = texts_of(trial, (TextPart.BEFORE, TextPart.AFTER), settings.LANGUAGE_CODE)
    both = zip(texts, ("before the instructions", "after the last item"), strict=True)
    blocks = [f"{_number(len(read_questions(text.body)))} {where}" for text, where in both if text]
    return [f"Questions of the authors: {_enumeration(blocks)}."] if blocks else []


def _second_round(trial: Trial) -> list[str]:
    progress = round_progress(trial)
    if progress is None:
        return []
    if not progress.has_begun:
        return [f"A second round of {_number(progress.wanted)} sheets was planned and not drawn."]
    return [
        f"When the first round was complete, a second of {_number(progress.wanted)} sheets asked every item again, more"
        " often where people had disagreed."
    ]


def _breaks(trial: Trial) -> list[str]:
    every, limits = trial.settings.get("break_every"), limits_of(trial.settings)
    least = f" of at least {limits.least} s" if limits.least else ""
    return [f"There was a break{least} after every {_number(every)} questions."] if every else []


def _opened(protocol: Protocol) -> str:
    """When people could answer; '' for pictures, which can be looked at without limit."""
    if not protocol.player.clips:
        return ""
    watched = "the clip; it" if protocol.player.clips == 1 else "both clips; they"
    return f", and opened after one full watch of {watched} could be watched again"


def _what(protocol: Protocol, number: int) -> str:
    one = "video clip" if protocol.unit == "video" else "question"
    return one if number == 1 else f"{one}s"


def _answers(protocol: Protocol) -> str:
    words = [f"“{option.label}”" for option in protocol.player.options]
    if protocol.player.has_own_options:
        words = ["those that the question allows", *words]
    order = (
        "whose order was drawn once for each participant"
        if protocol.player.swaps
        else "in the same order for everybody"
    )
    return f"{_enumeration(words)}, as buttons {order}"


def _attention(trial: Trial) -> str:
    items, source = attention_count(trial), trial.settings.get("attention", "").partition(":")[0]
    if not items:
        return "there were no attention checks"
    known = f", questions of pack {source} with known answers that count for nothing else" if source else ""
    many = "was one attention check" if items == 1 else f"were {_number(items)} attention checks"
    twice = attention_repeats(trial)
    repeats = f" ({_number(twice)} question{pluralize(twice, ' was,s were')} asked twice)" if twice else ""
    return f"there {many} on each sheet{repeats}{known}"


def _sentences(trial: Trial, protocol: Protocol) -> str:
    """The exact sentences shown; the models' prompts contain them word for word."""
    texts = trial.pack.items.filter(slots__trial=trial).values_list("text", flat=True).distinct()
    sentences = sorted({protocol.player.sentence(text) for text in texts})
    if len(sentences) == 1:
        return f"the sentence “{sentences[0]}”, which is part of the models' prompt word for word."
    count, example = _number(len(sentences)), f"for example “{sentences[0]}”; " if sentences else ""
    return f"one of {count} sentences, by test, {example}each is part of the models' prompt word for word."


def _results(trial: Trial, parts: Sequence[ConditionSummary], exclusion: str) -> list[str]:
    rows = [row for part in parts for row in part.answers.rows]
    if not rows and any(left_out(trial, exclusion).values()):
        return [_flow(trial, rows, exclusion), _left_out(trial, exclusion), "No answer is left."]
    if not rows:
        return ["No answer counts yet."]
    found = [_flow(trial, rows, exclusion), *_without_an_answer(trial), _left_out(trial, exclusion)]
    if both := both_rounds(trial, exclusion):
        found.append(_of_both(both))
    if find_protocol(trial.protocol).analysis.by_moment:
        figures = figures_of_trial(trial, exclusion)
        found += sentences_of(figures) if figures else []
        parts = ()
    for part in parts:
        found += [f"Under the condition “{part.condition}”:"] if len(parts) > 1 else []
        found += _figures(part) if part.figures.agreed else ["no answer counts yet."]
    if trial.is_simulated:
        found.append("These numbers say nothing about people.")
    return found


def _flow(trial: Trial, rows: Sequence[JudgmentRow], exclusion: str) -> str:
    """From those who consented to those whose judgments count: each number is the one before without those named."""
    kind = ParticipantKind.SIMULATED if trial.is_simulated else ParticipantKind.PERSON
    people = trial.participants.filter(kind=kind)
    agreeing, finished = people.exclude(consented_at=None), people.filter(state=ParticipantState.FINISHED)
    counted = set(finished.filter(judgments__counts=True).values_list("pk", flat=True))
    consented, ended, judging = agreeing.count(), finished.count(), len({row.participant_code for row in rows})
    out = len(counted & people_out(trial, exclusion))
    return (
        f"{consented} {'simulated ' if trial.is_simulated else ''}participant{pluralize(consented)} consented and"
        f" {ended} finished. Of these, {ended - len(counted)} gave no answer that counts and"
        f" {out} are left out by rule; {len(rows)} judgment{pluralize(len(rows))} by {judging}"
        f" participant{pluralize(judging)} count."
    )


def _without_an_answer(trial: Trial) -> Iterator[str]:
    """Those who consented and have no answer that counts, by reason, as the flow of a CONSORT diagram has them."""
    lost: Counter[str] = Counter()
    for step in flow(people_of(trial)):
        lost.update(dict(step.lost) if step.name in ("answered", "finished", "counted") else {})
    if lost:
        reasons = "; ".join(f"{count} {reason}" for reason, count in lost.most_common())
        yield f"Of those who consented, {lost.total()} finished no sheet that counts: {reasons}."


def _left_out(trial: Trial, exclusion: str) -> str:
    """How many people the rules exclude, together and each; those whose sheets never count are not among them."""
    by_rule, rules = people_by_rule(trial, exclusion), rules_of(trial, exclusion)
    if not rules:
        return f"Nobody whose sheet counts is left out (exclusion: {exclusion})."
    together = len(set().union(*by_rule.values()))
    counted = "; ".join(f"{len(by_rule[rule.name])} who {rule.says}" for rule in rules)
    doubted = answers_in_doubt(trial, exclusion)
    beyond = f" Of others, {doubted} answers whose clip was not presented never counted." if doubted else ""
    known = registration(trial) if exclusion == PRIMARY else ""
    before = f" Registered before the study opened: {known}." if known else ""
    return f"Left out by rule (exclusion: {exclusion}), {together} in all: {counted}.{beyond}{before}"


def _figures(part: ConditionSummary) -> list[str]:
    agreed, found = part.figures.agreed, [_score(part)]
    if agreed is None:
        return found
    if agreed.alpha is not None:
        found.append(f"Krippendorff's alpha was {agreed.alpha:.2f} (nominal).")
    if agreed.detection is not None:
        found.append(f"d′ was {agreed.detection.d_prime:.2f}, the criterion {agreed.detection.criterion:z.2f}.")
    if sure := agreed.confidence:
        right, wrong = (sure.right, sure.right_interval), (sure.wrong, sure.wrong_interval)
        means = [("right", *right, sure.n_right), ("wrong", *wrong, sure.n_wrong)]
        sentences = [
            f"{mean:.2f}{_ends(interval)} after {n} {which} answers"
            for which, mean, interval, n in means
            if mean is not None
        ]
        found.append(f"Mean confidence was {' and '.join(sentences)}.")
    if agreed.median_seconds is not None:
        found.append(f"The median time from the first presented frame to the answer was {agreed.median_seconds:.1f} s.")
    return found


def _score(part: ConditionSummary) -> str:
    """The score, over the items whose answers are known: scores of the others wait for their answers."""
    answers, unknown = part.answers, sum(vote.n > 0 for vote in part.answers.votes) - len(part.answers.scored_votes)
    if not answers.scored_votes:
        return "No right answer is known or public here, so that no answer is scored."
    found = _mean(part.figures.whole) if is_mean(part.trial) else _majority(part.figures.whole, answers)
    return f"{found} Judged items without a public answer are not scored: {unknown}." if unknown else found


def _ends(interval: Interval | None) -> str:
    return f" ({interval.low:.2f} to {interval.high:.2f})" if interval else ""


def _mean(whole: PeopleFigure) -> str:
    return (
        f"On average {_percent(whole.score or 0)} of the answers were right (95 % interval"
        f" {_percent(whole.interval.low)} to {_percent(whole.interval.high)}, people and questions both taken as"
        " samples)."
    )


def _of_both(both: PeopleFigure) -> str:
    return (
        f"Of single answers of both rounds, each item with the same weight and each round with a share of it fixed"
        f" beforehand, {_percent(both.score or 0)} were right (95 % interval {_percent(both.interval.low)} to"
        f" {_percent(both.interval.high)}; {both.n} answers). All other figures are of the first round."
    )


def _majority(whole: PeopleFigure, answers: TrialAnswers) -> str:
    judged, interval = answers.scored_votes, whole.interval
    return (
        f"The majority was right on {_percent(whole.score or 0)} of {len(judged)} clips"
        f" (95 % interval {_percent(interval.low)} to {_percent(interval.high)}, people and clips both taken as"
        f" samples); ties, of which there were {sum(vote.is_tie for vote in judged)}, count half.{_single(judged)}"
    )


def _single(judged: Sequence[ItemVote]) -> str:
    """The number of clips with a single answer, which is no majority; nothing if there is none."""
    alone = sum(vote.n == 1 for vote in judged)
    return f" Clips with a single answer, which is no majority: {alone}; it counts as it is." if alone else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _number(value: int) -> str:
    return NUMBERS[value] if value < len(NUMBERS) else str(value)


def _enumeration(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def as_latex(text: str) -> str:
    """Escape the text for LaTeX, with LaTeX's quotation marks, dashes and thin spaces."""
    escaped = "".join(LATEX.get(char, char) for char in text)
    quoted = escaped.replace("“", "``").replace("”", "''").replace("–", "--")
    return re.sub(r"(\d) \\%", r"\1\\,\\%", quoted)
