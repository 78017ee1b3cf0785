"""The token with which a machine joins, and the settings that it refuses to contain."""

import json
import re

import pytest

from benchsite.settings.join_token import CARRIED, CannotJoin, settings_of, word_of
from tests.site import manage

SERVERS = {
    "SECRET_KEY": "a secret of this site",
    "DATABASE_URL": "postgres://site:p%40ss@db.example:5433/site",
    "CELERY_BROKER_URL": "redis://queue.example/0",
    "REDIS_URL": "redis://:word@queue.example/1",
    "MEDIA_STORE": "s3://key:its%20secret@s3.example/clips",
    "SITE_URL": "https://site.example",
}


def test_a_word_holds_what_a_worker_needs_and_nothing_else():
    word = word_of(SERVERS | {"EMAIL_URL": "smtp://user:pass@mail.example", "METRICS_TOKEN": "x"})
    assert re.fullmatch(r"benchsite1\.[A-Za-z0-9_-]+", word)
    assert settings_of(f" {word}\n") == SERVERS
    assert set(SERVERS) < set(CARRIED)


def test_the_name_of_this_host_stands_in_place_of_localhost():
    here = SERVERS | {"DATABASE_URL": "postgres://u:p@localhost:5433/site", "REDIS_URL": "redis://127.0.0.1/1"}
    found = settings_of(word_of(here, host="site.example"))
    assert found["DATABASE_URL"] == "postgres://u:p@site.example:5433/site"
    assert found["REDIS_URL"] == "redis://site.example/1"
    assert found["MEDIA_STORE"] == SERVERS["MEDIA_STORE"]
    mounted = word_of(SERVERS | {"MEDIA_STORE": ""}, folder_is_shared=True)
    assert settings_of(mounted)["SECRET_KEY"] == SERVERS["SECRET_KEY"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"DATABASE_URL": ""}, "DATABASE_URL is not set: other machines need a server"),
        ({"DATABASE_URL": "sqlite:////data/db.sqlite3"}, "DATABASE_URL is sqlite"),
        ({"CELERY_BROKER_URL": "filesystem://localhost"}, "CELERY_BROKER_URL is filesystem"),
        ({"REDIS_URL": "redis://localhost/1"}, "REDIS_URL is on localhost, which is another place for other machines"),
        ({"MEDIA_STORE": "s3+http://key:word@127.0.0.1:9000/clips"}, "MEDIA_STORE is on 127.0.0.1, which is another"),
        ({"MEDIA_STORE": "folder"}, "MEDIA_STORE is a folder, which other machines do not see"),
        ({"MEDIA_STORE": ""}, "MEDIA_STORE is a folder, which other machines do not see"),
    ],
)
def test_what_another_machine_could_not_use_is_refused_by_name(changed, sentence):
    with pytest.raises(CannotJoin, match=sentence):
        word_of(SERVERS | changed)


@pytest.mark.parametrize("broken", ["yes", "benchsite1.", word_of(SERVERS)[:-9], word_of(SERVERS)[11:]])
def test_a_word_that_is_not_whole_stops_the_start_with_a_sentence(broken, tmp_path):
    with pytest.raises(CannotJoin):
        settings_of(broken)
    if broken == "yes":
        done = manage(tmp_path, "check", JOIN=broken)
        assert "JOIN is not a complete token of `benchsite join`: copy it again" in done.stderr


def test_a_joined_machine_is_set_as_the_site_is_and_its_own_settings_go_first(tmp_path):
    script = (
        "import json; from django.conf import settings; print(json.dumps([settings.DEBUG, settings.SECRET_KEY,"
        " settings.DATABASES['default']['HOST'], settings.MEDIA_STORE, settings.CELERY_BROKER_URL]))"
    )
    done = manage(tmp_path, "shell", "-v", "0", "-c", script, JOIN=word_of(SERVERS), CELERY_BROKER_URL="redis://own/3")
    assert json.loads(done.stdout) == [False, "a secret of this site", "db.example", "s3", "redis://own/3"], done.stderr


@pytest.mark.parametrize("given", ["", "web,tape"])
def test_an_unknown_part_of_the_site_is_refused(given, tmp_path):
    done = manage(tmp_path, "serve", "--only", given)
    assert done.returncode == 2
    assert "write some of web, gpu, cpu, clock" in done.stderr
