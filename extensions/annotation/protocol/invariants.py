"""The invariants of an annotation trial, which `verify_trial` checks."""

from collections import Counter
from dataclasses import dataclass

from extensions.annotation.models.tasks import CandidateOrigin, CandidateState, ObjectState, Stage
from extensions.annotation.protocol.pairs import QUESTIONS_A_PAIR
from extensions.annotation.protocol.stages import CHECKERS, ONE_IN
from humantrials.protocols.invariants import Invariant

TRAIN = "train"


@dataclass(frozen=True)
class TaskFact:
    """One task: its sheet, its subject, who answered it, and how many of the answers count."""

    sheet: int
    stage: str
    subject: int
    replicate: int
    questions: tuple[int, ...]
    has_instruction: bool
    counted: int
    people: tuple[str, ...] = ()  # who answered, by code; one person has the same code on all sheets
    by: str = ""  # the code of the person whose answer counts
    was_returned: bool = False  # staff sent an answer to it back, which may have moved it to another sheet


@dataclass(frozen=True)
class CandidateFact:
    pair: int
    question: int
    written_for: int  # pair
    origin: str
    state: str
    voters: tuple[str, ...]  # the people with counted answers, including the writer
    answers: tuple[int | None, ...]  # their answers; None = irrelevant, bad or flagged


@dataclass(frozen=True)
class PairFact:
    number: int
    split: str
    splits: tuple[str, str]  # of its objects
    is_for_writers: bool


@dataclass(frozen=True)
class AnnotationFacts:
    """The facts of a trial that its invariants are checked on."""

    writers: int
    objects: dict[int, str]  # number -> state
    tasks: tuple[TaskFact, ...]
    pairs: tuple[PairFact, ...]
    candidates: tuple[CandidateFact, ...]
    counted_unfinished: int = 0
    settled: bool = True  # the stored states match the counted answers

    def of(self, stage: str) -> list[TaskFact]:
        return [task for task in self.tasks if task.stage == stage]


def every_clip_once(facts: AnnotationFacts) -> bool:
    return sorted(task.subject for task in facts.of(Stage.OBJECTS)) == sorted(facts.objects)


def accepted_clips_were_answered(facts: AnnotationFacts) -> bool:
    counted = {task.subject for task in facts.of(Stage.OBJECTS) if task.counted}
    return counted == {number for number, state in facts.objects.items() if state != ObjectState.WAITING}


def writers_have_each(facts: AnnotationFacts) -> bool:
    wanted = {pair.number for pair in facts.pairs if pair.is_for_writers}
    counts = Counter(task.subject for task in facts.of(Stage.QUESTIONS))
    return counts == Counter(dict.fromkeys(wanted, facts.writers))


def other_pairs_once(facts: AnnotationFacts) -> bool:
    tasks = facts.of(Stage.ANSWERS)
    others = {pair.number for pair in facts.pairs if not pair.is_for_writers}
    counts = Counter(task.subject for task in tasks)
    lengths = {len(task.questions) + task.has_instruction for task in tasks}
    return set(counts) <= others and set(counts.values()) <= {1} and max(lengths, default=0) <= QUESTIONS_A_PAIR


def instructions_are_there(facts: AnnotationFacts) -> bool:
    """Whether one pair in ten, rounded up, on every sheet of stage C has an instruction.

    Once staff sent an answer back its pair is on another sheet; then one in ten of all pairs has one.
    """
    sheets = Counter(task.sheet for task in facts.of(Stage.ANSWERS))
    marked = Counter(task.sheet for task in facts.of(Stage.ANSWERS) if task.has_instruction)
    if any(task.was_returned for task in facts.of(Stage.ANSWERS)):
        return marked.total() >= -(-sheets.total() // ONE_IN)
    return all(marked[sheet] == -(-count // ONE_IN) for sheet, count in sheets.items())


def splits_stay_apart(facts: AnnotationFacts) -> bool:
    """Whether pairs lie within one split, and questions written outside train stay in their split."""
    split = {pair.number: pair.split for pair in facts.pairs}
    return all({pair.split} == set(pair.splits) for pair in facts.pairs) and all(
        split[candidate.written_for] in (TRAIN, split[candidate.pair]) for candidate in facts.candidates
    )


def checked_twice(facts: AnnotationFacts) -> bool:
    """Whether each checked question is on two sheets; one whose first answer was withdrawn may still be there."""
    checks = Counter((task.subject, question) for task in facts.of(Stage.CHECKS) for question in task.questions)
    settled = [candidate for candidate in facts.candidates if candidate.state == CandidateState.ACCEPTED]
    return set(checks.values()) <= {CHECKERS} and all(checks[one.pair, one.question] == CHECKERS for one in settled)


def three_agree(facts: AnnotationFacts) -> bool:
    return all(
        len(set(candidate.voters)) == len(candidate.voters) == 1 + CHECKERS
        and len(set(candidate.answers)) == 1
        and None not in candidate.answers
        for candidate in facts.candidates
        if candidate.state == CandidateState.ACCEPTED
    )


def written_for_their_pair(facts: AnnotationFacts) -> bool:
    own = [candidate for candidate in facts.candidates if candidate.origin == CandidateOrigin.WRITTEN]
    return all(one.pair == one.written_for for one in own)


def at_most_one_counted(facts: AnnotationFacts) -> bool:
    return all(task.counted <= 1 for task in facts.tasks)


def nobody_twice(facts: AnnotationFacts) -> bool:
    """Whether no person has two counted tasks about one pair, be it writing, answering or checking."""
    met = Counter((task.by, task.subject) for task in facts.tasks if task.by and task.stage != Stage.OBJECTS)
    return max(met.values(), default=0) <= 1


def finished_sheets_alone(facts: AnnotationFacts) -> bool:
    return facts.counted_unfinished == 0


ANNOTATION_INVARIANTS = (
    Invariant("every-clip-once", "every clip is asked about once", every_clip_once),
    Invariant("clips-answered", "only a counted answer keeps or drops a clip", accepted_clips_were_answered),
    Invariant("writers-each", "every writers' pair has tasks for the set number of people", writers_have_each),
    Invariant("pairs-once", "every other pair is wanted once, with thirteen questions at most", other_pairs_once),
    Invariant("instructions", "one pair in ten carries an instruction in place of a question", instructions_are_there),
    Invariant("splits-apart", "pairs and questions stay in their split", splits_stay_apart),
    Invariant("own-pair", "written questions keep their own pair and their own answer", written_for_their_pair),
    Invariant("checked-twice", "each accepted question was on exactly two sheets of checks", checked_twice),
    Invariant("three-agree", "each accepted question has one answer from three different people", three_agree),
    Invariant("no-overfill", "no task has more than one counted answer", at_most_one_counted),
    Invariant("once-a-person", "nobody's answers to one pair count twice", nobody_twice),
    Invariant("whole-sheets", "answers count only on finished sheets", finished_sheets_alone),
    Invariant("settled", "states follow from the counted answers", lambda facts: facts.settled),
)
