"""The data set of a trial: a Psych-DS folder, anonymous by default, and the plan frozen at opening."""

import io
import json
import re
import zipfile

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import new_token
from benchmarks.disclosure import hide
from humantrials.assignment.viewing_evidence import note_fetch
from humantrials.models import Preregistration, Trial
from humantrials.planning.preregistration import as_markdown, digest_of, preregistration_of
from humantrials.results.analysis_table import in_python
from humantrials.results.data_set import Source, files_of, texts_of
from humantrials.results.figures import summaries
from humantrials.results.methods_section import methods_of
from humantrials.running.lifecycle import close_trial, open_trial, pause_trial
from tests.humantrials.fixtures import altered, physics_pack, running_trial, whole_sheet
from tests.humantrials.results.test_judgments import closed_trial, right
from tests.humantrials.running.test_lifecycle import make
from tests.markup import table

pytestmark = pytest.mark.django_db
NAME = re.compile(r"data/([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")  # Psych-DS' own


@pytest.fixture
def study() -> Trial:
    return closed_trial(slug="my-study", replicates=2)


def test_the_folder_is_as_psych_ds_wants_it(study):
    texts = dict(texts_of(Source(study)))
    described = json.loads(texts["dataset_description.json"])
    assert {"@context", "@type", "name", "description", "variableMeasured"} <= set(described)
    known = {one["name"] for one in described["variableMeasured"]}
    tables = [path for path in texts if path.startswith("data/")]
    assert len(tables) == 4
    for path in tables:
        assert NAME.fullmatch(path)
        header = texts[path].splitlines()[0].split(",")
        assert set(header) <= known
        assert len(header) == len(set(header))


def test_no_code_and_no_time_of_day_is_in_it(study):
    study.participants.update(has_evidence=True, consented_at=study.created_at)
    for one in study.judgments.select_related("participant"):
        note_fetch(one.participant, one.item_id, 0)
    everything = "".join(text for path, text in texts_of(Source(study)) if "preregistration" not in path)
    codes = list(study.participants.values_list("code", flat=True))
    assert len(codes) == 4
    assert not any(code in everything for code in codes)
    assert str(study.created_at.year) not in re.sub(r"[0-9a-f]{12,}", "", everything)
    (requested, *_) = table(dict(texts_of(Source(study)))[Source(study).table("judgments")])
    assert float(requested["clip_requested_after"]) >= 0
    with_codes = "".join(text for _path, text in texts_of(Source(study, is_anonymous=False)))
    assert all(code in with_codes for code in codes)


def test_the_numbers_of_people_are_the_same_in_all_tables(study):
    source = Source(study)
    texts = dict(texts_of(source))
    people = {row["participant"]: row for row in table(texts[source.table("people")])}
    assert list(people) == ["p0001", "p0002", "p0003", "p0004"]
    long = table(texts[source.table("long")])
    assert {row["participant"] for row in long} == set(people)
    assert {row["counted"] for row in people.values()} == {"2"}
    assert all(row["correct"] == "1" and row["says_yes"] == row["is_yes"] for row in long)
    events = table(texts[source.table("events")])
    assert {row["participant"] for row in events if row["event"] == "finished"} == {"", *people}


def test_the_salt_is_published_when_the_study_is_closed_and_not_before(study):
    prints = ("documentation/codebook.md", "documentation/methods.md")
    assert all(study.salt in dict(texts_of(Source(study)))[path] for path in prints)
    open_trial(trial=study)
    assert not any(study.salt in text for _path, text in texts_of(Source(study)))


def test_the_order_of_people_does_not_follow_from_what_is_published(study):
    names = Source(study).names
    assert Source(altered(study, salt="a5" * 16, design_hash="5a" * 32)).names == names


def test_both_models_are_written_out(study):
    texts = dict(texts_of(Source(study)))
    script = texts["analysis/registered.py"]
    assert "correct ~ 1 + (1|participant) + (1|item)" in script
    for model in (
        'correct ~ 1 + (1 | participant) + (1 | item), data = d, family = binomial("logit"))',
        'glmer(says_yes ~ is_yes + (is_yes | participant) + (1 | item), data = d, family = binomial("probit"))',
    ):
        assert model in texts["analysis/registered.R"]
    assert Source(study).table("long") in script
    assert "share objects" not in in_python(study, "x")


def test_the_plan_is_frozen_at_the_first_opening():
    trial = make(physics_pack(tests=1))
    assert preregistration_of(trial)["sha256"] is None
    open_trial(trial=trial)
    kept = Preregistration.objects.get(trial=trial)
    assert kept.digest == digest_of(kept.content)
    assert [rule["name"] for rule in kept.content["exclusions"]] == ["clip-not-seen"]
    pause_trial(trial=altered(trial, title="Another title"))
    open_trial(trial=trial)
    found = preregistration_of(trial)
    assert (found["sha256"], found["trial"]["title"]) == (kept.digest, kept.content["trial"]["title"])


def test_the_frozen_plan_reads_as_the_draft_did():
    """Its facts stay in their order, though a JSON column keeps them in another."""
    trial = make(physics_pack(tests=1), settings={"why": "0.5", "seal": "no"})
    draft = as_markdown(preregistration_of(trial)).split("\n\n")[3:]
    open_trial(trial=trial)
    assert as_markdown(preregistration_of(Trial.objects.get(pk=trial.pk))).split("\n\n")[3:] == draft


def test_a_trial_opened_before_plans_were_kept_says_so(study):
    Preregistration.objects.all().delete()
    assert preregistration_of(study) is None
    assert "before preregistrations were kept" in dict(texts_of(Source(study)))["documentation/preregistration.md"]


def test_an_early_close_is_told_as_it_was():
    trial = running_trial(physics_pack(tests=2), replicates=1)
    whole_sheet(trial, right)
    close_trial(trial=trial)
    assert "judged 2 of 4 planned video clips" in methods_of(trial, summaries(trial)).procedure


def test_the_pages_give_files_once_the_study_is_closed(study, staff):
    page = staff.get("/trials/my-study/export/")
    assert page.status_code == 200
    for path in files_of(Source(study)):
        assert staff.get(f"/trials/my-study/export/{path}").status_code == 200
        assert f"/trials/my-study/export/{path}" in page.content.decode()
    table = f"/trials/my-study/export/{Source(study).table('long')}"
    assert staff.get(f"{table}?excel=1").content == b"\xef\xbb\xbf" + staff.get(table).content
    packed = zipfile.ZipFile(io.BytesIO(staff.get("/trials/my-study/export.zip").content))
    assert packed.testzip() is None
    assert len(packed.namelist()) == len(files_of(Source(study)))
    assert staff.get("/trials/my-study/export.zip?people=names").status_code == 404
    assert staff.get("/trials/my-study/export/secret.txt").status_code == 404
    assert staff.get("/trials/my-study/export.zip?people=codes").status_code == 200
    assert study.events.filter(kind="export").count() == 1


def test_an_open_study_gives_its_plan_alone(staff):
    running_trial(physics_pack(tests=1), slug="still-open")
    assert staff.get("/trials/still-open/export.zip").status_code == 302
    assert staff.get("/trials/still-open/export/README.md").status_code == 302
    assert staff.get("/trials/still-open/export/documentation/preregistration.json").json()["sha256"]
    assert staff.get("/api/v1/trials/still-open/export/").status_code == 403


@pytest.mark.parametrize("change", ["sealed", "simulated"])
def test_right_answers_that_are_sealed_stay(study, staff, change):
    if change == "sealed":
        hide({study.slots.first().item_id}, by="answers")
    else:
        open_trial(trial=altered(study, is_simulated=True))
    assert staff.get("/trials/my-study/export.zip").status_code == 302
    assert staff.get(f"/trials/my-study/export/{Source(study).table('long')}").status_code == 302
    assert staff.get("/api/v1/trials/my-study/export/").status_code == 403
    assert staff.get("/trials/my-study/export/").status_code == 200


def test_the_api_gives_it_to_whoever_manages_the_study(study, staff, author):
    assert staff.get("/api/v1/trials/my-study/export/").status_code == 200
    assert staff.get("/api/v1/trials/my-study/export/?file=README.md").content.decode().startswith("# ")
    wrong = staff.get("/api/v1/trials/my-study/export/?file=nothing")
    assert wrong.status_code == 400
    assert "dataset_description.json" in wrong.json()["file"]
    assert staff.get("/api/v1/trials/my-study/export/?files=x").status_code == 400
    key = {"Authorization": f"Token {new_token(user=staff.user, name='script', scopes=['read'], days=1)}"}
    assert Client().get("/api/v1/trials/my-study/export/", headers=key).status_code == 200
    assert Client().get("/api/v1/trials/my-study/export/").status_code == 401
    assert Client().get("/trials/my-study/export.zip").status_code == 302
    assert author.get("/api/v1/trials/my-study/export/").status_code == 404  # somebody else's
    assert author.get("/trials/my-study/export.zip").status_code == 403


def test_the_command_writes_the_folder(study, tmp_path):
    call_command("export_trial", "my-study", "--format", "psych-ds", "--out", str(tmp_path / "set"), verbosity=0)
    found = {path.relative_to(tmp_path / "set").as_posix() for path in (tmp_path / "set").rglob("*") if path.is_file()}
    assert found == set(files_of(Source(study)))
