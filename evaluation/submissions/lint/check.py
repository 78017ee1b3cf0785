"""Lints a file of answers before it is stored: problems by line and item, coverage, a dry-run score."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import IO, Any, NamedTuple
from unicodedata import normalize

from benchmarks.definitions.definition import narrowest
from benchmarks.disclosure import PUBLIC, SCORER, Fact, open_to, with_expected
from benchmarks.models import ItemFacet
from evaluation.parsing import PARSERS, Parser
from evaluation.parsing.numeric_replies import margin_in
from evaluation.replies import ANSWER, NUMBERS, PREDICTION, REPLY, SURPRISE, read
from evaluation.submissions.files.parse_upload import ParsedUpload, answers_in, merged, read_upload, target_of
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import FIELDS, AnswerRow, Spool, SpooledAnswer, Target
from measures.scores.clip_surprise import NotSurprises
from measures.scores.log_probabilities import NotLogProbabilities
from measures.scores.moment_answers import NOTHING_WRONG
from measures.scores.parsed_answers import Parsed, ParserContext
from measures.scores.scoring import exact_match

BETWEEN = "|"  # key|kind|variant
ENDINGS = ("mp4", "webm", "mov", "mkv", "avi", "m4v")
SEEDS = 16
SHORT, REMEMBERED = 60, 2000  # cached readings: the longest reply in characters, and the number of replies per question
UNKNOWN = "no item with this id in this pack, split and strategy; the empty file on /submit/ has every id"
SEVERAL = "several items have this key: write key|kind|variant"
PROBLEMS = 10_000
MOST_LISTED = 100
TAKEN = {ANSWER: "as-given", PREDICTION: "as-predicted"}  # kind of row -> parser


def other_names(target: Target) -> dict[str, str]:
    """Public ids by `key|kind|variant`, by `key`, and by the name of the clip in it; "" for a name of several items."""
    public = target.items().filter(open_to(PUBLIC, Fact.ANSWER))
    columns = ("public_id", "key", "kind", "variant")
    found: dict[str, str] = {}
    of_clips: dict[str, str] = {}
    for public_id, *official in public.values_list(*columns).iterator(chunk_size=2000):
        whole, key = normal(BETWEEN.join(official)), normal(official[0])
        found[whole] = public_id
        found[key] = "" if key in found else public_id
        of_clips[clip_name(key)] = "" if clip_name(key) in of_clips else public_id
    return of_clips | found


def normal(name: str) -> str:
    """The name in one spelling: macOS writes an umlaut as two characters."""
    return normalize("NFC", name)


def clip_name(name: str) -> str:
    """The name of a clip's file without folder and ending, as other tools name the clip."""
    stem, _dot, ending = name.rpartition("/")[2].rpartition(".")
    return stem if stem and ending.lower() in ENDINGS else name.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class ItemContext:
    """A parser's context, shared by all items that have it, and its cached readings of short replies."""

    parser_context: ParserContext
    read: dict[str, Parsed] = field(default_factory=dict)


class WantedAnswer(NamedTuple):
    """The data for checking and scoring the answer to one item."""

    pk: int
    question: ItemContext
    facets: tuple[tuple[str, str], ...]
    expected: str | None
    is_hidden: bool  # the report must not depend on the expected answer


class FacetCoverage(NamedTuple):
    """Number of items with one facet value: answered and wanted."""

    facet: str
    value: str
    answered: int
    wanted: int


def wanted_by(target: Target) -> dict[str, WantedAnswer]:
    """The wanted answers by public id, read as plain values, since packs are large.

    No parser gets a hidden answer: its unparsed replies would reveal the answer.
    """
    facets = _facets_of(target)
    hidden = set(target.items().exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True))
    questions: dict[ParserContext, ItemContext] = {}
    found: dict[str, WantedAnswer] = {}
    columns = ("pk", "public_id", "kind", "options", "expected")
    rows = with_expected(target.items(), to=SCORER).values_list(*columns)
    for pk, public_id, kind, options, expected in rows.iterator(chunk_size=2000):
        own = facets.get(pk, ())
        answer = None if pk in hidden else expected
        context = ParserContext(kind, narrowest(value for name, value in own if name == "test"), tuple(options), answer)
        question = questions.setdefault(context, ItemContext(context))
        found[public_id] = WantedAnswer(pk, question, own, expected, pk in hidden)
    return found


def _facets_of(target: Target) -> dict[int, tuple[tuple[str, str], ...]]:
    """The facets of each item by pk, without splits and those that reveal an answer; equal sets are one object."""
    names = {facet.name for facet in target.benchmark.facets} - target.benchmark.telling - {"split"}
    rows = ItemFacet.objects.filter(item__in=target.items().order_by(), name__in=names).order_by("item_id", "pk")
    same: dict[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = {}
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    values = rows.values_list("item_id", "name", "value").iterator(chunk_size=5000)
    for item, of_item in groupby(values, key=itemgetter(0)):
        own = tuple((name, value) for _item, name, value in of_item)
        found[item] = same.setdefault(own, own)
    return found


def parser_for(target: Target, kind: str) -> Parser:
    """The parser for this kind of row; replies are read by the header's parser or the benchmark's own."""
    _check_kind(target, kind)
    if kind in TAKEN and target.parser:
        raise Unreadable("header", f"the header's `parser` reads replies, and this file holds {kind}s: leave it out")
    if kind == ANSWER and target.strategy.asks_numbers:
        return PARSERS[target.benchmark.parser_of(target.strategy.name)]
    return PARSERS[TAKEN.get(kind) or target.parser or target.benchmark.parser_of(target.strategy.name)]


def _check_kind(target: Target, kind: str) -> None:
    """Raise Unreadable unless numbers come with a strategy by likelihood, and with nothing else."""
    strategy, what = target.strategy, ""
    if kind in NUMBERS and not strategy.by_likelihood:
        what = f"`{kind}` is for a strategy by likelihood, and {strategy.name} takes replies"
    elif (kind == SURPRISE) != strategy.by_surprise:
        what = f"`surprise` and the strategy surprise belong together: here {kind}, {strategy.name}"
    elif kind in TAKEN and strategy.by_likelihood:
        what = f"{strategy.name} takes numbers, `log_probs` or `margin`, and this file holds {kind}s"
    if what:
        raise Unreadable("header", what)


class Checker:
    """Checks row by row and counts the answered items, their seeds and their score."""

    def __init__(self, target: Target, names: Mapping[str, str] | None = None, spool: Spool | None = None) -> None:
        """`names` maps ids to the file's own names, if it has any; `spool` receives every good answer."""
        self.spool = spool
        self.target = target
        self.names = names or {}
        self.wanted = wanted_by(target)
        self.hides = any(wanted.is_hidden for wanted in self.wanted.values())
        self.kind = ""
        self.parser: Parser | None = None  # for rows of this kind
        self.seeds: dict[int, int] = {}  # seed -> its bit in `answered`
        self.answered: dict[str, int] = {}
        self.refused: set[tuple[str, int]] = set()  # (item, seed) of refused rows
        self.unplaced: Counter[str] = Counter()  # item -> refused rows of unknown seed
        self.unread = 0
        self.scored = 0
        self.points = 0.0

    def check(self, row: AnswerRow | Problem) -> Problem | None:
        """Count this row, or return its problem."""
        if isinstance(row, Problem):
            self.unplaced[row.item] += 1
            return row
        if not self.kind:
            self.kind, self.parser = row.kind, parser_for(self.target, row.kind)
        wanted = self.wanted.get(row.item)
        if wanted is None:
            known = self._by_other_name(row.item)
            if not known:
                return self._problem(row, "unknown-item", UNKNOWN if known is None else SEVERAL)
            row, wanted = row._replace(item=known, name=row.item), self.wanted[known]
        if row.kind != self.kind:
            self.refused.add((row.item, row.seed))
            return self._problem(row, "mixed", f"the file began with `{self.kind}`, this row has `{row.kind}`")
        if row.seed not in self.seeds and len(self.seeds) == (1 if self.hides else SEEDS):
            return self._problem(row, "seed", self._too_many_seeds(row.seed))
        bit = self.seeds.setdefault(row.seed, 1 << len(self.seeds))
        if self.answered.get(row.item, 0) & bit:
            return self._problem(row, "duplicate", f"answered before with seed {row.seed}")
        return self._check_text(row, wanted, bit)

    def _check_text(self, row: AnswerRow, wanted: WantedAnswer, bit: int) -> Problem | None:
        """Count the answer of this row, or return its problem; `bit` is that of its seed."""
        if row.kind in (*NUMBERS, SURPRISE):
            try:
                seconds = self.seconds.get(wanted.pk, 0.0) if row.kind == SURPRISE else 0.0
                row = row._replace(text=row.numbers_as_text(wanted.question.parser_context.options, seconds))
            except (NotLogProbabilities, NotSurprises) as why:
                self.refused.add((row.item, row.seed))
                return self._problem(row, "number", str(why))
        parsed = self._read(row, wanted.question)
        if row.kind == ANSWER and (what := self._why_no_answer(row, wanted, parsed)):
            self.refused.add((row.item, row.seed))
            return self._problem(row, "not-an-option", what)
        self.answered[row.item] = self.answered.get(row.item, 0) | bit
        self._count(row, wanted, parsed)
        return None

    def _why_no_answer(self, row: AnswerRow, wanted: WantedAnswer, parsed: Parsed) -> str:
        """The problem of an answer that replaces a reply; '' if there is none."""
        options = wanted.question.parser_context.options
        if self.target.strategy.parser == "moment":
            return why_no_moment(row.text, parsed.answer, self.seconds.get(wanted.pk, 0.0))
        if parsed.answer is not None:
            return ""
        if self.target.strategy.asks_numbers:
            return f"{row.text[:40]!r} is no number"
        if not options:
            return "this item wants free text: upload raw replies"
        return f"{row.text[:40]!r} is none of: {', '.join(options)}"

    @cached_property
    def seconds(self) -> dict[int, float]:
        """The length of each item's clip in seconds, read only if answers have moments or surprises."""
        return dict(self.target.items().order_by().values_list("pk", "media__clip__seconds"))

    def _too_many_seeds(self, seed: int) -> str:
        """The sentence on an excess seed; with several answers to a question, weights could reveal hidden answers."""
        if self.hides:
            return f"seed {seed} is one too many: answers of this split are withheld, so that a file has one seed"
        return f"seed {seed} is one too many: at most {SEEDS} different seeds"

    @cached_property
    def other_names(self) -> dict[str, str]:
        """Other names of the items, read only if a row has no public id; result files name their items themselves."""
        return {} if self.names else other_names(self.target)

    def _by_other_name(self, name: str) -> str | None:
        """The public id of the item of this name; "" if several have it, None if none has."""
        names = self.other_names
        return names.get(normal(name), names.get(clip_name(normal(name))))

    def _read(self, row: AnswerRow, question: ItemContext) -> Parsed:
        """The parser's reading of a row; a short text to the same question is read once."""
        is_plain = not (row.thoughts or row.finish)
        if is_plain and (known := question.read.get(row.text)) is not None:
            return known
        assert self.parser is not None
        if row.kind == REPLY:
            parsed = read(self.parser, row.spoken, question.parser_context)
        else:
            parsed = self.parser.read(row.text, question.parser_context)
        if is_plain and len(row.text) <= SHORT and len(question.read) < REMEMBERED:
            question.read[row.text] = parsed
        return parsed

    def missing(self) -> Iterator[Problem]:
        """Yield the missing answers for the seeds of the file, without those whose row was refused."""
        for item in self.wanted:
            name = self.names.get(item, item)
            for seed in self._lacking(item)[self.unplaced[name] :]:
                yield Problem("missing", f"no answer with seed {seed}", item=name)

    def _lacking(self, item: str) -> list[int]:
        seeds = (self.seeds or {0: 1}).items()
        answered = self.answered.get(item, 0)
        return [seed for seed, bit in seeds if not answered & bit and (item, seed) not in self.refused]

    def coverage(self) -> list[FacetCoverage]:
        """The items answered and wanted, by facet value."""
        by_item = Counter(each.facets for each in self.wanted.values())
        by_answer = Counter(self.wanted[item].facets for item in self.answered)
        wanted, answered = _by_facet(by_item), _by_facet(by_answer)
        return [FacetCoverage(*facet, answered[facet], wanted[facet]) for facet in sorted(wanted)]

    @property
    def score(self) -> float | None:
        """The mean score over answers to public items; None if there are none."""
        return self.points / self.scored if self.scored else None

    def _count(self, row: AnswerRow, wanted: WantedAnswer, parsed: Parsed) -> None:
        is_scored = wanted.expected is not None and not self.target.strategy.is_scored_apart
        score = None if not is_scored else exact_match(parsed.answer, wanted.expected)
        self.unread += parsed.answer is None
        if not wanted.is_hidden and score is not None:
            self.scored += 1
            self.points += score
        if self.spool is not None:
            ended = row.spoken.ending.value if row.finish else ""
            found = (parsed.answer or "", parsed.problem, score, row.thoughts, ended)
            is_weighed = self.target.strategy.by_likelihood
            margin = margin_in(row.text, wanted.question.parser_context.options) if is_weighed else None
            self.spool.add(SpooledAnswer(wanted.pk, row.seed, row.text, *found, margin))

    def _problem(self, row: AnswerRow, code: str, what: str) -> Problem:
        return Problem(code, what, row.line, row.name or row.item)


def _by_facet(counted: Counter[tuple[tuple[str, str], ...]]) -> Counter[tuple[str, str]]:
    """The number of items with each facet value, from the number with each set of facets."""
    numbers: Counter[tuple[str, str]] = Counter()
    for facets, number in counted.items():
        numbers.update(dict.fromkeys(facets, number))
    return numbers


def why_no_moment(text: str, moment: str | None, seconds: float) -> str:
    """The problem of this moment of a clip of so many seconds; '' if there is none."""
    if moment is None and not text.isdecimal():  # a number with too many digits for a moment
        return f"{text[:40]!r} is neither a number of seconds nor `{NOTHING_WRONG}`"
    if moment != NOTHING_WRONG and float(moment or text) > seconds:
        return f"{(moment or text)[:40]} s lies outside the clip, which lasts {seconds:.2f} s"
    return ""


@dataclass
class LintReport:
    """The findings on a file; `rows` counts the valid rows, `problems` has the others."""

    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    target: Target | None = None
    kind: str = ""  # "answer", "reply" or "prediction"
    parser: str = ""  # "grasp-paper 2"; '' = no row was read
    seeds: tuple[int, ...] = ()
    coverage: list[FacetCoverage] = field(default_factory=list)
    score: float | None = None
    scored: int = 0
    unread: int = 0
    notes: list[str] = field(default_factory=list)  # what was chosen among the file's answers

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def first_problems(self) -> list[Problem]:
        return self.problems[:MOST_LISTED]

    @property
    def dry_run(self) -> dict[str, object]:
        """What is kept of the report for pages, of refused files and of stored ones."""
        found = {"rows": self.rows, "score": self.score, "scored": self.scored, "unread": self.unread}
        return found | {"coverage": self.coverage, "notes": self.notes}

    @property
    def facts(self) -> dict[str, object]:
        """The report as commands and the API return it."""
        problems = [{"line": each.line, "item": each.item or None, "what": each.what} for each in self.problems]
        found = {"ok": self.ok, "rows": self.rows, "score": self.score, "parser": self.parser}
        return found | {"notes": self.notes, "problems": problems}


def lint(file: IO[bytes], header: Mapping[str, str] | None = None, *, spool: Spool | None = None) -> LintReport:
    """Read the whole file, report on it, and put good answers into the spool; no content of a file raises."""
    report = LintReport()
    try:
        upload = read_upload(file)
        report.target = target_of(header_of(upload, header), line=1 if upload.header else None)
        rows = answers_in(upload, report.target)
        names = upload.native.names(report.target) if upload.native else None
        report.notes = upload.native.notes if upload.native else []
    except Unreadable as stop:
        report.problems.append(stop.problem)
        return report
    checker = Checker(report.target, names, spool)
    for problem in _problems(checker, rows, report):
        if len(report.problems) == PROBLEMS:
            report.problems.append(Problem("too-many", f"reading stopped after {PROBLEMS:,} problems"))
            break
        report.problems.append(problem)
    _close(report, checker)
    return report


def header_of(upload: ParsedUpload, typed: Mapping[str, str] | None) -> Mapping[str, Any]:
    """The file's header merged with the given one; a benchmark's own result file needs a given header."""
    if upload.native and not typed:
        wanted = ", ".join(FIELDS)
        raise Unreadable("header", f"the file is {upload.native.format.title}: name {wanted} in the fields beside it")
    return merged(upload.header, typed)


def _problems(checker: Checker, rows: Iterator[AnswerRow | Problem], report: LintReport) -> Iterator[Problem]:
    """Yield the problems in the order of the lines, then the missing answers; count the valid rows."""
    try:
        for row in rows:
            problem = checker.check(row)
            report.rows += problem is None
            if problem:
                yield problem
    except Unreadable as stop:
        yield stop.problem
        return  # the missing answers may be in the unread rest
    yield from checker.missing()


def _close(report: LintReport, checker: Checker) -> None:
    report.kind, report.seeds = checker.kind, tuple(sorted(checker.seeds))
    report.parser = f"{checker.parser.name} {checker.parser.version}" if checker.parser else ""
    report.score, report.scored, report.unread = checker.score, checker.scored, checker.unread
    report.coverage = checker.coverage()
