"""The documentation's pages: all are reachable, all links lead somewhere, and all commands in them exist."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchsite.documentation.documents import find, name_of, names, path_of, target_of

ROOT = Path(__file__).parents[3]
WRITTEN = [name for name in names() if name != "changelog"]
INLINE_OR_BLOCK = re.compile(r"(?:python )?manage\.py ([a-z_]+)([^`\n|]*)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
MODULE = re.compile(r"python -m ((?:bench|scenes|tests)[a-z0-9_.]*)")
PROGRAM = re.compile(r"`(bench/[a-z0-9_/]+\.py|make [a-z-]+)")


def file_of(name: str) -> Path:
    path = path_of(name)
    assert path is not None
    return path


def text_of(name: str) -> str:
    return file_of(name).read_text()


def links_of(name: str) -> list[str]:
    """Paths from the project's root that a document links to, with their anchors."""
    folder = file_of(name).relative_to(ROOT).parent.as_posix()
    found = []
    for href in LINK.findall(text_of(name)):
        if not re.match(r"[a-z]+:|/", href):
            path, anchor = target_of(folder, href)
            found.append(f"{path or file_of(name).relative_to(ROOT).as_posix()}#{anchor}")
    return found


@pytest.mark.parametrize("name", names())
def test_every_document_is_a_page_with_a_title_and_no_inline_style(visitor, name):
    answer = visitor.get(f"/docs/{name}/" if name else "/docs/")
    assert answer.status_code == 200
    page = answer.content.decode()
    assert f"<title>{find(name).title.replace(chr(39), '&#x27;')}" in page
    assert 'style="' not in find(name).html
    assert 'aria-current="page">Docs' in " ".join(page.split())


@pytest.mark.parametrize("name", WRITTEN)
def test_every_link_leads_to_a_file_and_a_heading(name):
    for link in links_of(name):
        path, _, anchor = link.partition("#")
        assert (ROOT / path).exists(), f"{name}: {link}"
        if anchor and path.endswith(".md"):
            assert f'id="{anchor}"' in find(name_of(path)).html, f"{name}: {link}"


def test_every_document_can_be_reached_from_the_index():
    reached, waiting = set(), [""]
    while waiting:
        name = waiting.pop()
        if name not in reached and path_of(name):
            reached.add(name)
            waiting += [name_of(link.partition("#")[0]) for link in links_of(name)]
    assert set(names()) <= reached


@pytest.mark.parametrize("name", WRITTEN)
def test_commands_in_documents_exist_with_these_options(name):
    for command, rest in INLINE_OR_BLOCK.findall(text_of(name)):
        assert command in get_commands(), f"{name}: manage.py {command}"
        app = get_commands()[command]
        parser = load_command_class(app, command).create_parser("manage.py", command)
        known = {option for action in parser._actions for option in action.option_strings}
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.split("[;#]", rest)[0]):
            assert option in known, f"{name}: manage.py {command} {option}"
        assert parser.format_help()  # a bare % in a help text ends in a traceback


@pytest.mark.parametrize("name", WRITTEN)
def test_programs_in_documents_exist(name):
    text = text_of(name)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for module in MODULE.findall(text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), f"{name}: python -m {module}"
    for program in PROGRAM.findall(text):
        first, *rest = shlex.split(program)
        assert rest[0] in targets if first == "make" else (ROOT / program).exists(), f"{name}: {program}"


def test_links_between_documents_lead_to_pages_and_links_to_code_are_words():
    html = find("architecture").html
    assert 'href="/docs/' in html
    assert ".py" in html
    assert not re.search(r'href="[^"]*\.(py|md)["#]', html)


def test_pictures_of_documents_are_served_and_nothing_else_is(visitor):
    html = "".join(find(name).html for name in names())
    sources = re.findall(r'<img[^>]*src="(/docs/files/[^"]+)"', html)
    assert sources
    assert {visitor.get(source).status_code for source in sources} == {200}
    for path in ("../manage.py", "index.md", "%2e%2e/manage.py", "nothing.png", "..%2f..%2fetc/passwd"):
        assert visitor.get(f"/docs/files/{path}").status_code == 404
    for name in ("nothing", "../manage", "index", "manage.py", "benchmarks/../../README"):
        assert visitor.get(f"/docs/{name}/").status_code == 404


def test_a_search_finds_pages_that_have_all_words_the_title_first(visitor):
    page = visitor.get("/docs/", {"q": "Deploying NGINX"}).content.decode()
    found = re.findall(r'<h2><a href="([^"]+)"', page)
    assert found[0] == "/docs/deploying/"
    nothing = visitor.get("/docs/", {"q": "zyzzyva <b>"}).content.decode()
    assert "No page has all of these words" in nothing
    assert "zyzzyva <b>" not in nothing
