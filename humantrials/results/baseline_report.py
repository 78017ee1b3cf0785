"""The human-baseline report: the checklist of Wei et al. 2025 (arXiv 2506.13776), filled with what the site knows.

Every figure comes from the results and the methods section; what only the authors know is marked.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.conf import settings
from django.utils.translation import override

from humantrials.judging.attention_checks import attention_count
from humantrials.judging.exclusion_rules import (
    NOBODY,
    PRIMARY,
    STRICT,
    answers_in_doubt,
    people_by_rule,
    people_out,
    rules_of,
)
from humantrials.models import ParticipantKind, PayKind, Preregistration, TextPart, Trial
from humantrials.panels import PANELS
from humantrials.planning.authored_texts import quiz_in, texts_of
from humantrials.planning.preregistration import formulas_of
from humantrials.planning.questionnaires import QuestionKind, read_questions
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import as_typed, setting
from humantrials.results.figures import ConditionSummary, summaries
from humantrials.results.methods_section import Methods, methods_of
from humantrials.results.moments import figures_of_trial, sentences_of
from humantrials.results.release import has_enough
from humantrials.running.attrition import flow, people_of
from measures.estimate import ESTIMATOR

CHECKLIST = Path(__file__).parents[1] / "assets/human_baselines.toml"
SOURCE = (
    "The reporting checklist of Wei et al., Recommendations and Reporting Checklist for Rigorous & Transparent Human"
    " Baselines in Model Evaluations (2025, arXiv 2506.13776), in this site's own words."
)
UNKNOWN = "Not known here: the author has to fill it in."
BY_PANEL = {"prolific": "A crowd, through Prolific.", "invited": f"By invitation. Whom the authors invited: {UNKNOWN}"}
Answers = dict[str, str]


@dataclass(frozen=True)
class ReportItem:
    """One item of the checklist with its answer."""

    number: str
    question: str
    answer: str

    @property
    def is_open(self) -> bool:
        """Whether the author has to add to it."""
        return UNKNOWN in self.answer


@dataclass(frozen=True)
class BaselineReport:
    """The checklist of one study, in parts; `head` are its first paragraphs."""

    title: str
    head: tuple[str, ...]
    source = SOURCE
    parts: tuple[tuple[str, tuple[ReportItem, ...]], ...]

    def blocks(self) -> Iterator[tuple[str, str]]:
        """Yield (style, text) in order; styles are title, text, part, question and answer."""
        yield "title", self.title
        yield from (("text", text) for text in (self.source, *self.head))
        for title, items in self.parts:
            yield "part", title
            for one in items:
                yield "question", f"{one.number} {one.question}"
                yield "answer", one.answer

    def as_markdown(self) -> str:
        marks = {"title": "# ", "part": "## ", "question": "### "}
        return "\n\n".join(f"{marks.get(style, '')}{text}" for style, text in self.blocks()) + "\n"


def report_of(trial: Trial, parts: Sequence[ConditionSummary]) -> BaselineReport:
    """The report; `parts` are the summaries of a study whose results may be shown, under its registered exclusions."""
    with override("en"):
        facts = StudyFacts(trial, tuple(parts))
        known = {number: text for part in ANSWERS for number, text in part(facts).items()}
        warning = ("Simulated participants: a program answered, no person did.",) if trial.is_simulated else ()
        return BaselineReport(
            f"Human-baseline report: {trial.title}",
            (*warning, facts.methods.procedure, facts.methods.results),
            tuple(
                (part["title"], tuple(_filled(known, *one) for one in part["items"]))
                for part in tomllib.loads(CHECKLIST.read_text())["part"]
            ),
        )


def _filled(known: Answers, number: str, question: str, always: str = "") -> ReportItem:
    return ReportItem(number, question, known.get(number) or always.replace("UNKNOWN", UNKNOWN) or UNKNOWN)


@dataclass(frozen=True)
class StudyFacts:
    """What several answers need of one study."""

    trial: Trial
    parts: tuple[ConditionSummary, ...]

    @cached_property
    def protocol(self):
        return find_protocol(self.trial.protocol)

    @cached_property
    def methods(self) -> Methods:
        return methods_of(self.trial, self.parts)

    @cached_property
    def flow(self):
        return {step.name: step for step in flow(people_of(self.trial))}

    @cached_property
    def answers_by_person(self) -> Counter[str]:
        return Counter(row.participant_code for part in self.parts for row in part.answers.rows)

    @cached_property
    def votes(self):
        """The judged items of each condition."""
        return [vote for part in self.parts for vote in part.answers.votes if vote.n]

    @cached_property
    def questions(self) -> list[str]:
        """The words of the authors' questions before and after the items that have no free text as their answer."""
        texts = texts_of(self.trial, (TextPart.BEFORE, TextPart.AFTER), settings.LANGUAGE_CODE)
        found = [text for text in texts if text]
        read = [question for text in found for question in read_questions(text.body)]
        return [question.text for question in read if question.kind != QuestionKind.TEXT]


def _range(values: Sequence[int]) -> str:
    low, high = min(values, default=0), max(values, default=0)
    return f"{low}" if low == high else f"{low} to {high}"


def _yes(is_so: object) -> str:
    return "Yes." if is_so else "No."


def _list(words: Sequence[str]) -> str:
    text = "; ".join(words) or "nothing"
    return f"{text[0].upper()}{text[1:]}."


def _paper(facts: StudyFacts) -> Answers:
    trial, player = facts.trial, facts.protocol.player
    shows = ["text"]
    shows += ["video"] if player.clips and not player.shows_frames else ["pictures"] if player.has_media else []
    shows += ["sound"] if facts.protocol.screening.has_sound else []
    items = trial.pack.items.filter(kind=facts.protocol.pool.kind).askable().count()
    people = trial.participants.exclude(consented_at=None).exclude(language="")
    spoken = sorted(set(people.values_list("language", flat=True)))
    return {
        "0.6": _list(shows),
        "0.7": f"Pages of people: {', '.join(spoken)}." if spoken else "",
        "0.8": f"{items} questions of this kind in pack {trial.pack.name} of {trial.pack.benchmark}.",
    }


def _design(facts: StudyFacts) -> Answers:
    trial, judged = facts.trial, {vote.item_id for vote in facts.votes}
    planned = trial.slots.values("item").distinct().count()
    points, plan = trial.settings.get("precision"), Preregistration.objects.filter(trial=trial).first()
    pilots = trial.participants.filter(kind=ParticipantKind.PILOT).count()
    wanted, split, per_test, items = (
        setting(trial.settings, name, facts.protocol) for name in ("replicates", "split", "per_test", "items")
    )
    most = f"at most {per_test} of each test" if per_test else f"at most {items}" if items else ""
    return {
        "1.1": f"{len(facts.answers_by_person)} {'simulated participants' if trial.is_simulated else 'people'}.",
        "1.2": f"{len(judged)} of {planned} planned.",
        "1.2.1": f"Split {split}, {most or 'all of it'}; drawn as the procedure says.",
        "1.3": f"{_range([vote.n for vote in facts.votes])}; {wanted} were wanted.",
        "1.4": f"{_range(list(facts.answers_by_person.values()))}.",
        "1.6": f"Yes: {pilots} went through it as a pilot." if pilots else f"No pilot took place here. {UNKNOWN}",
        "1.8": f"By precision: half the 95 % interval at most {points:g} points." if points else "",
        "1.9": trial.settings.get("ethics", ""),
        "1.10": f"Yes: frozen when the study opened, SHA-256 {plan.digest[:16]}…" if plan else "No.",
    }


def _recruitment(facts: StudyFacts) -> Answers:
    trial, screening = facts.trial, facts.protocol.screening
    quiz, gates = quiz_in(trial, settings.LANGUAGE_CODE), trial.settings.get("gates")
    checks = [f"equipment: {as_typed(gates)}"] if gates else []
    checks += ["a sound check"] if screening.has_sound else []
    checks += ["the author's list of people"] if screening.qualified else []
    checks += [f"{len(quiz.questions)} questions on the instructions"] if quiz.questions else []
    refused = dict(facts.flow["answered"].lost).get("screened out by the quiz", 0)
    pay = f"{trial.pay_amount} {trial.pay_currency} for a whole sheet" if trial.pay_amount is not None else ""
    bonuses = trial.pay_entries.filter(kind=PayKind.BONUS).count()
    training = ["one practice clip with feedback"] if trial.has_practice else []
    training += ["questions on the instructions, with what is right"] if quiz.questions else []
    return {
        "2.2": BY_PANEL.get(trial.panel, f"{PANELS[trial.panel].title}. Where it was offered: {UNKNOWN}"),
        "2.3": _yes(checks),
        "2.3.1": _list(checks),
        "2.3.2": f"{refused} by the quiz. By other checks: {UNKNOWN}" if checks else "Nobody.",
        "2.5": f"Nobody was asked an item twice in this study. Elsewhere: {UNKNOWN}",
        "2.6": _yes(training),
        "2.6.1": _list(["instructions", *training]),
        "2.6.2": "As part of the sheet." if pay else "",
        "2.6.2.1": "It is in the amount of 2.7.1." if pay else "",
        "2.7": "Yes." if pay else "",
        "2.7.1": f"{pay}; who stops earlier gets a share by answers." if pay else "",
        "2.7.2": f"{bonuses} got a bonus." if bonuses else ("None was paid through this site." if pay else ""),
        "2.7.3": "Yes, whether or not answers count." if pay else "",
        "2.7.3.1": "There is no other rule." if pay else "",
    }


def _execution(facts: StudyFacts) -> Answers:
    trial, attention = facts.trial, attention_count(facts.trial)
    checks = [f"{attention} attention items a sheet"] if attention else []
    checks += [f"people who {rule.says} are left out" for rule in rules_of(trial)]
    checks += ["answers whose clip was not presented do not count"] if trial.has_evidence else []
    out = len(set().union(*people_by_rule(trial).values()))
    lengths, every = Counter(trial.slots.values_list("sheet_id", flat=True)), trial.settings.get("break_every")
    why = trial.settings.get("why")
    watched = [rule.name for rule in rules_of(trial) if rule.name in ("left-the-page", "program")]
    return {
        "3.1": f"{_range(list(lengths.values()))}" + (f", with a break after each {every}." if every else "."),
        "3.1.1": f"Yes: {facts.protocol.design.order}.",
        "3.2": _yes(checks),
        "3.2.1": _list(checks),
        "3.2.2": f"{out} people by rule, and {answers_in_doubt(trial)} answers of others.",
        "3.3.2": "Yes: people saw stills, as models get them." if facts.protocol.player.shows_frames else "",
        "3.5.1": f"People are left out by: {'; '.join(watched)}." if watched else "",
        "3.6": f"Yes, after {100 * why:g} % of the answers." if why else "No.",
    }


def _analysis(facts: StudyFacts) -> Answers:
    analysis = facts.protocol.analysis
    found = {
        "4.2": _figures(facts.trial, facts.parts),
        "4.6": " ".join(_under(facts.trial, name) for name in (NOBODY, STRICT)),
    }
    if analysis.by_moment:
        return found
    return found | {
        "4.1": "Yes: each model on the board is compared with people on the items that both answered.",
        "4.1.1": f"{ESTIMATOR}, with Holm's correction.",
        "4.3": "Yes: the share of right answers." if analysis.row == "mean" else OF_MAJORITIES,
    }


OF_MAJORITIES = (
    "No: of people the majority of each item, a tie counting half, of a model its own answer. The share of single"
    " answers of people stands beside it on the board."
)


def _figures(trial: Trial, parts: Sequence[ConditionSummary], exclusion: str = PRIMARY) -> str:
    """The figure of each condition; for moments what the results say."""
    if find_protocol(trial.protocol).analysis.by_moment:
        moments = figures_of_trial(trial, exclusion)
        return " ".join(sentences_of(moments)) if moments else "No answer counts."
    found = []
    for part in parts:
        whole, name = part.figures.whole, f"{part.condition}: " if len(parts) > 1 else ""
        ends = f"{100 * whole.interval.low:.1f} to {100 * whole.interval.high:.1f}"
        scored = f"{100 * (whole.score or 0):.1f} % ({ends}), n {whole.n}, people {whole.people}."
        found.append(name + (scored if whole.score is not None else "no answer is scored."))
    return " ".join(found)


def _under(trial: Trial, exclusion: str) -> str:
    """The figures under another exclusion than the registered one."""
    name = "Nobody left out:" if exclusion == NOBODY else "By strict rules:"
    if people_out(trial, exclusion) == people_out(trial):
        return f"{name} the same people."
    parts = summaries(trial, exclusion)
    people = {row.participant_code for part in parts for row in part.answers.rows}
    enough = has_enough(trial, len(people))
    return f"{name} {_figures(trial, parts, exclusion)}" if enough else f"{name} too few people to say."


def _documentation(facts: StudyFacts) -> Answers:
    trial = facts.trial
    seconds = [part.figures.agreed.median_seconds for part in facts.parts if part.figures.agreed]
    medians = " and ".join(f"{one:.1f} s" for one in seconds if one is not None)
    lost: Counter[str] = Counter()
    for name in ("answered", "finished"):
        lost.update(dict(facts.flow[name].lost))
    reasons = "; ".join(f"{n} {why}" for why, n in lost.most_common())
    questions = facts.questions
    analysis = formulas_of(facts.protocol) if facts.protocol.analysis.has_right_answers else {}
    return {
        "5.1.1": f"The data set has each person's answers to: {' '.join(questions)}"
        if questions
        else "People were not asked.",
        "5.1.3": f"Median of an answer, from the first picture: {medians}." if medians else "",
        "5.1.5": f"{lost.total()} of {facts.flow['agreed'].reached} who agreed" + (f": {reasons}." if lost else "."),
        "5.3": f"Yes: the items ({trial.pack.get_absolute_url()}), the protocol {trial.protocol} and the design"
        f" {trial.design_hash[:12]}.",
        "5.4": f"Yes: analysis/ in the data set prints the figures and fits {'; '.join(analysis)}." if analysis else "",
    }


ANSWERS = (_paper, _design, _recruitment, _execution, _analysis, _documentation)
