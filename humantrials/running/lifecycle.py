"""Create, open, pause, close and archive a trial. Its items are sealed while it is open."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from accounts.models import User
from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, Reader, hide, known_answers, open_to, show
from benchmarks.disclosure.seals import closure
from benchmarks.models import Item, Origin, Pack
from benchmarks.packs.clusters import are_grouped
from humantrials.assignment.item_pool import displayable_items, eligible_items, paired_items, pool_items
from humantrials.assignment.sheets import make_open
from humantrials.errors import BadSetting, EmptyPool, WrongState
from humantrials.identities import qualification
from humantrials.judging.attention_checks import check_attention, check_attention_is_open, items_on_sheets
from humantrials.judging.exclusion_rules import register
from humantrials.kinds import kind_of
from humantrials.models import RUNNING, ParticipantKind, SheetEventKind, SheetState, Trial, TrialState
from humantrials.permissions import desk_reader
from humantrials.planning.preregistration import freeze
from humantrials.planning.second_round import check_second_round, draw_second_round, due_for_second_round, store_sheets
from humantrials.protocols import find_protocol
from humantrials.protocols.designs.balanced import design_hash, lot
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.settings import read_settings, setting

SALT = re.compile("[0-9a-f]{1,32}")
# State -> those from which a trial gets there.
BEFORE: Mapping[TrialState, tuple[TrialState, ...]] = {
    TrialState.OPEN: (TrialState.DRAFT, TrialState.PAUSED, TrialState.CLOSED),
    TrialState.PAUSED: (TrialState.OPEN,),
    TrialState.CLOSED: RUNNING,
    TrialState.ARCHIVED: (TrialState.DRAFT, TrialState.CLOSED),
}


def create_trial(
    *,
    slug: str,
    protocol: str,
    pack: Pack,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    title: str = "",
    author: User | None = None,
    salt: str | None = None,
) -> Trial:
    """Create a trial with its design as a draft: nobody can enter before it is opened.

    `salt` is that of a study to draw again; a new study draws its own.
    """
    found, values = find_protocol(protocol), read_settings(settings or {})
    if "qualified" in values:
        values["qualified"] = sorted(qualification(slug, one) for one in values["qualified"])
    title = title or found.title
    trial = Trial(slug=slug, title=title, protocol=found.name, pack=pack, seed=seed, settings=values, author=author)
    trial.salt = trial.salt if salt is None else read_salt(salt)
    try:
        return kind_of(trial).create(found, trial)
    except IntegrityError:
        raise BadSetting(f"there is a trial {slug!r} already; choose another name") from None


def lay_slots(protocol: Protocol, trial: Trial) -> Trial:
    """Store the trial with the sheets that the protocol's design makes of its pool."""
    pack, values = trial.pack, trial.settings
    items = pool_of(protocol, pack, trial.draw_seed, values, to=desk_reader(trial))
    pool = pool_items(protocol, items)
    check_second_round(protocol, values.get("second_round"), pool)
    planned = protocol.design.compose(pool, setting(values, "replicates", protocol), trial.draw_seed)
    trial.design_hash = design_hash(planned)
    trial.has_own_practice = bool(protocol.screening.own_practice) and pack.origin == Origin.GENERATED
    if not trial.has_own_practice:
        trial.practice = practice_item(protocol, pack, trial.draw_seed, used=_beside(pack, items))
    used = {item.pk for item in items} | {trial.practice_id or 0}
    check_attention(trial, used, min(map(len, planned), default=0))
    with transaction.atomic():
        trial.save()
        store_sheets(trial, planned, items)
    return trial


def read_salt(text: str) -> str:
    if not SALT.fullmatch(text):
        raise BadSetting(
            f"{text[:40]!r} is no salt of a study: wanted are up to 32 of the characters 0-9 and a-f", "salt"
        )
    return text


def pool_of(protocol: Protocol, pack: Pack, seed: int, settings: Mapping[str, Any], *, to: Reader) -> list[Item]:
    """The items of the trial: askable, in its split, and reduced if a limit is set.

    What the study of another author hides is not among them: a balanced draw tells its author something of the answers.
    """
    if pack.benchmark != protocol.pool.benchmark:
        raise EmptyPool(f"{protocol.name} asks about {protocol.pool.benchmark}, and {pack} is no pack of it")
    split = setting(settings, "split", protocol)
    every = pack.items.filter(kind=protocol.pool.kind).in_split(split).askable()
    found = every.filter(open_to(to, Fact.EXISTENCE))
    items = {item.draw_key: item for item in displayable_items(protocol, found)}
    if not items:
        if every.exists() and not found.exists():
            raise EmptyPool(f"all {protocol.pool.kind} items of {pack} are asked in a study that is open now")
        without = found.count()
        lack = f" that can be shown: {without} are there without their clips" if without else ""
        raise EmptyPool(f"{pack} has no {protocol.pool.kind} items in the split {split!r}{lack}")
    for name in ("per_test", "items"):
        if name in settings and name != protocol.pool.limit:
            raise BadSetting(
                f"{protocol.name} has no setting {name!r}; what limits its pool is {protocol.pool.limit!r}"
            )
    items = {item.draw_key: item for item in paired_items(protocol, pack, items.values())}
    limit = setting(settings, protocol.pool.limit, protocol)
    if limit is None:
        return list(items.values())
    return [items[name] for name in protocol.pool.draw(pool_items(protocol, items.values()), limit, seed)]


def _beside(pack: Pack, items: Iterable[Item]) -> set[int]:
    """These items, and where answers are bound to each other those that tell theirs, as a practice page would.

    So it is with twins, with the two statements about a clip, and in groups; other questions about a clip tell little.
    """
    questions = {item.pk for item in items}
    is_bound = find_benchmark(pack.benchmark).draw_of is not None or are_grouped(pack.benchmark)
    return closure(questions) if is_bound else questions


def practice_item(protocol: Protocol, pack: Pack, seed: int, *, used: set[int]) -> Item | None:
    """An unused item of the first source that has one. Its page tells the answer, so that no seal may hide that."""
    tells_nothing_sealed = open_to(PUBLIC, Fact.ANSWER) | ~Q(known_answers())
    for source in protocol.screening.practice:
        found = eligible_items(source, pack).filter(tells_nothing_sealed)
        found = paired_items(protocol, pack, found) if protocol.player.has_twin else found
        items = [item for item in found if item.pk not in used]
        if items:
            return min(items, key=lambda item: lot(f"{seed}/practice", item.draw_key))
    return None


@transaction.atomic
def open_trial(*, trial: Trial, by: User | None = None) -> None:
    """Let people in, and seal the items unless the trial's settings say otherwise; freezes a draft's plan."""
    is_draft = trial.state == TrialState.DRAFT
    if trial.state in (TrialState.DRAFT, TrialState.CLOSED):
        check_attention_is_open(trial)
    rules = register(trial=trial)
    _move(trial, TrialState.OPEN, by=by, also=f"; rules registered: {rules}" if rules else "")
    if is_draft:
        freeze(trial=trial)
    if trial.has_seal:
        hide(items_on_sheets(trial), by=trial.seal_name)


@transaction.atomic
def extend_trial(*, trial: Trial, by: User | None = None) -> None:
    """Draw the second round, and seal the attention items of its sheets, too."""
    draw_second_round(trial=trial, by=by)
    if trial.has_seal:
        hide(items_on_sheets(trial), by=trial.seal_name)


def extend_due_trials() -> int:
    """Draw the second round of every open study whose first is complete; returns how many."""
    found = due_for_second_round()
    for trial in found:
        extend_trial(trial=trial)
    return len(found)


@transaction.atomic
def pause_trial(*, trial: Trial, by: User | None = None) -> None:
    """Let nobody new in; people who have begun may finish, and their answers count."""
    _move(trial, TrialState.PAUSED, by=by)


@transaction.atomic
def close_trial(*, trial: Trial, by: User | None = None) -> None:
    """Show the items again. People who are still at work may finish, but their answers are surplus."""
    # Sheets before the trial, as a last answer takes these locks: otherwise each could wait for the other.
    list(trial.sheets.select_for_update().filter(state=SheetState.LEASED).values_list("pk"))
    _move(trial, TrialState.CLOSED, by=by)
    for sheet in trial.sheets.select_for_update().filter(state=SheetState.LEASED):
        make_open(sheet, SheetEventKind.CLOSED)
    show(by=trial.seal_name)


@transaction.atomic
def archive_trial(*, trial: Trial, by: User | None = None) -> None:
    """Archive the trial for good: it leaves the list, its results keep their address, and nothing reopens it."""
    _move(trial, TrialState.ARCHIVED, by=by)


def mark_simulated(*, trial: Trial) -> None:
    """Mark the trial as simulated for ever; refused if people have taken part."""
    if trial.is_simulated:
        return
    if trial.participants.filter(kind=ParticipantKind.PERSON).exists():
        raise WrongState(f"people have taken part in {trial.slug}: make another trial for the simulation")
    Trial.objects.filter(pk=trial.pk).update(is_simulated=True, answers_version=F("answers_version") + 1)
    trial.refresh_from_db()


def _move(trial: Trial, state: TrialState, *, by: User | None, also: str = "") -> None:
    """Change the state and log it; nothing happens if the trial already has this state."""
    if trial.state != state:
        if not Trial.objects.filter(pk=trial.pk, state__in=BEFORE[state]).update(state=state):
            raise WrongState(f"the trial {trial.slug} is {trial.state} and can't become {state}")
        trial.events.create(kind=state, note=f"was {trial.state}{also}", by=by)
    trial.refresh_from_db()


def find_trial(slug: str) -> Trial:
    trial = Trial.objects.select_related("pack").filter(slug=slug).first()
    if trial is None:
        names = ", ".join(Trial.objects.values_list("slug", flat=True)) or "none"
        raise CallerMistake(f"there is no trial {slug!r}; there is: {names}")
    return trial
