"""Prepared queries return the same as querysets, and constant rows are read once."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.template import Context, Template
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from benchmarks.leasing import lease_end
from humantrials.assignment.claims import INSERT, record_judgment
from humantrials.assignment.prepared_queries import ONE, OR_NOTHING, WORD, PreparedInsert, PreparedQuery
from humantrials.assignment.sheets import is_fresh, lease_seconds, locked, make_done, prolong, slots_of
from humantrials.assignment.viewing_evidence import doubts_of
from humantrials.models import ClipFetch, Judgment, Participant, Sheet
from tests.humantrials.fixtures import consented, physics_pack, running_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def holder():
    """A participant with a sheet."""
    trial = running_trial(physics_pack(tests=3, clips=1))
    person, sheet = consented(trial), trial.sheets.first()
    Sheet.objects.filter(pk=sheet.pk).update(state="leased", holder=person, epoch=4, lease_until=lease_end(60))
    Participant.objects.filter(pk=person.pk).update(sheet=sheet, epoch=4)
    return Participant.objects.select_related("trial").get(pk=person.pk)


def columns(row: Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_the_text_is_written_once_and_gives_what_the_queryset_gives(django_assert_num_queries):
    trial, written = running_trial(), []

    def sheets():
        written.append(1)
        return Sheet.objects.filter(trial=ONE, trial__slug=WORD, state="open").order_by("order")

    kept = PreparedQuery(sheets, ONE, WORD)
    wanted = list(trial.sheets.filter(state="open").order_by("order"))
    with django_assert_num_queries(2):
        assert kept.models(trial.pk, trial.slug) == wanted
        assert kept.models(trial.pk, "another") == []
    assert kept.rows(trial.pk, trial.slug)[0][0] == wanted[0].pk
    assert len(written) == 1


def test_a_lease_is_prolonged_for_its_holder_at_its_epoch_alone(holder):
    assert not is_fresh(holder)
    assert prolong(holder)
    assert is_fresh(holder)
    Sheet.objects.filter(pk=holder.sheet_id).update(epoch=5)
    assert not prolong(holder)
    assert not is_fresh(holder)


def test_each_length_of_a_lease_has_a_text_of_its_own(holder):
    prolong(holder)
    long = Sheet.objects.get(holder=holder).lease_until
    holder.trial.settings["lease_seconds"] = lease_seconds(holder) // 2
    prolong(holder)
    assert Sheet.objects.get(holder=holder).lease_until < long
    assert is_fresh(holder)


def test_a_sheet_is_done_for_its_holder_at_its_epoch_alone(holder):
    Sheet.objects.filter(pk=holder.sheet_id).update(epoch=5)
    assert not make_done(holder)
    Sheet.objects.filter(pk=holder.sheet_id).update(epoch=4)
    assert make_done(holder)
    assert Sheet.objects.values_list("state", "lease_until").get(pk=holder.sheet_id) == ("done", None)


def test_a_row_of_two_models_gives_both(holder, django_assert_num_queries):
    both = PreparedQuery(lambda: Participant.objects.filter(pk=ONE).select_related("trial"), ONE)
    with django_assert_num_queries(1):
        (person,) = both.models(holder.pk)
        trial = person.trial
    stored = Participant.objects.select_related("trial").get(pk=holder.pk)
    assert (columns(person), columns(trial)) == (columns(stored), columns(stored.trial))


def test_a_locked_row_is_read_anew_and_knows_its_trial(holder, django_assert_num_queries):
    Participant.objects.filter(pk=holder.pk).update(step="quiz", checks={"quiz": 1})
    with django_assert_num_queries(1):
        person = locked(holder)
        assert (person.step, person.checks, person.trial) == ("quiz", {"quiz": 1}, holder.trial)
    assert columns(person) == columns(Participant.objects.get(pk=holder.pk))


def test_the_last_answer_reads_nothing_twice(holder, django_assert_num_queries):
    """Beside what every answer does: the sheet twice, what was seen, answers that count, the study, an event, codes."""
    Participant.objects.filter(pk=holder.pk).update(has_evidence=True, consented_at=timezone.now(), epoch=1)
    Sheet.objects.filter(pk=holder.sheet_id).update(epoch=1)
    *slots, last = slots_of(holder)
    for slot in (*slots, last):
        ClipFetch.objects.create(participant=holder, item=slot.item, place=0, share=1)
    holder.clip_fetches.update(at=timezone.now() - timedelta(hours=1))
    for slot in slots:
        with django_assert_num_queries(6):  # with those that begin and end the transaction
            record_judgment(participant=holder, position=slot.position, answer="yes", records={})
    doubts_of(holder.trial)  # the lengths of clips are read once for a study
    with django_assert_num_queries(6 + 8):
        record_judgment(participant=holder, position=last.position, answer="yes", records={})
    assert Participant.objects.get(pk=holder.pk).completion_code
    assert holder.judgments.filter(counts=True).count() == len(slots) + 1


def test_an_address_below_the_token_is_that_of_the_url_lists(holder):
    page = Template(
        "{% load studies %}{% participant_url 'road' %} {% participant_url 'road-clip' 0 %} "
        "{% participant_url 'road-frame' 12 1 as there %}{{ there }}"
    )
    wanted = [reverse("road", args=[holder.token]), reverse("road-clip", args=[holder.token, 0])]
    wanted.append(reverse("road-frame", args=[holder.token, 12, 1]))
    assert page.render(Context({"person": holder})).split() == wanted


def test_a_stored_answer_is_what_the_queryset_reads(holder):
    slot = holder.sheet.slots.first()
    given = {"trial": holder.trial, "slot": slot, "participant": holder, "item": slot.item, "epoch": 4}
    judgment = Judgment(**given, answer="yes", raw="yes", watched=0.5, playback={"flags": ["untimed"]})
    INSERT.store(judgment)
    assert columns(Judgment.objects.get(pk=judgment.pk)) == columns(judgment)
    with pytest.raises(IntegrityError), transaction.atomic():
        INSERT.store(Judgment(**given, answer="no", raw="no"))
    judgment.counts = True
    judgment.save()  # an update: the object counts as stored
    assert Judgment.objects.get().counts


def test_slots_of_a_sheet_are_read_once(holder, django_assert_num_queries):
    asked = slots_of(holder)
    assert [slot.pk for slot in asked] == list(holder.sheet.slots.order_by("position").values_list("pk", flat=True))
    with django_assert_num_queries(0):
        assert [slot.item.text for slot in slots_of(holder)] == [slot.item.text for slot in asked]
    assert slots_of(consented(holder.trial)) == ()


def test_a_part_that_never_changes_is_drawn_once_a_language():
    page = Template(
        "{% load i18n studies %}{% unchanging %}{% translate 'Practice' %}{{ name }}{% endunchanging %} {{ name }}"
    )
    with override("en"):
        assert page.render(Context({"name": "a"})) == "Practice a"
    with override("de"):
        german = page.render(Context({"name": "b"}))
    assert german.endswith(" b")
    assert german != "Practice b"
    with override("en"):
        assert page.render(Context({"name": "c"})) == "Practice c"


def test_an_insert_or_nothing_leaves_the_row_that_is_there(holder):
    insert = PreparedInsert(ClipFetch, OR_NOTHING)
    key = {"participant": holder, "item": holder.sheet.slots.first().item, "place": 0}
    assert insert.store(ClipFetch(**key, share=0.5))
    assert not insert.store(ClipFetch(**key, share=1))
    assert ClipFetch.objects.get().share == 0.5
