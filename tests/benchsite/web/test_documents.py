"""The documentation: each file is a page, its links lead somewhere, and the commands and programs in it exist."""

import re
from argparse import _SubParsersAction
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchsite.web.documents import address_in, address_of, documents, rendered

ROOT = Path(__file__).parents[3]
WRITTEN = {name: path.read_text() for name, path in documents().items() if name != "changelog"}
CODE = re.compile(r"^```sh\n(.*?)^```|`([^`\n]+)`", re.M | re.S)
COMMAND = re.compile(r"(?:^|[;(&:]|\bdo|=\S+) *benchsite ([a-z_]+[^`\n|;#]*)", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PROGRAM = re.compile(
    r"python -m ((?:scenes|tests|tools)[a-z0-9_.]*)|`(tools/(?:bench|giraffe_prepare)/[a-z0-9_/]+\.py)|`make ([a-z-]+)"
)


@pytest.mark.parametrize("name", documents())
def test_every_document_is_a_page_with_a_title_and_no_inline_style(visitor, name):
    page = visitor.get(address_of(name)).content.decode()
    assert f"<title>{rendered(name).title.replace(chr(39), '&#x27;')}" in page
    assert 'style="' not in rendered(name).html
    assert 'aria-current="page">Docs' in " ".join(page.split())


def test_all_documents_together_can_be_read_in_an_afternoon():
    paths = {*documents().values(), *(ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md"))}
    assert len(paths) > 40
    assert sum(len(path.read_text().split()) for path in paths) <= 40_000


def leads_somewhere(name: str, href: str) -> bool:
    """Whether this link of the document leads to a file and, if it names one, to a heading."""
    path, _, anchor = href.partition("#")
    if re.match(r"[a-z]+:|/", href):
        return True
    if not (documents()[name].parent / path).exists():
        return False
    target = address_in(name, path).removeprefix("/docs/").rstrip("/") if path else name
    return not anchor or f'id="{anchor}"' in rendered(target).html


def test_every_link_leads_to_a_file_and_a_heading():
    links = [(name, href) for name, text in WRITTEN.items() for href in LINK.findall(text)]
    wrong = [link for link in links if not leads_somewhere(*link)]
    assert not wrong, "\n".join(map(str, wrong))


def test_every_document_can_be_reached_from_the_index():
    reached, waiting = set(), ["/docs/"]
    while waiting:
        if (address := waiting.pop()) not in reached:
            reached.add(address)
            html = rendered(address.removeprefix("/docs/").rstrip("/")).html
            waiting += re.findall(r'href="(/docs/(?!files/)[^"#]*)', html)
    assert reached == set(map(address_of, documents()))


def commands_in(text):
    """The words of each command that the document prints, in a line or in a block of its own."""
    for block, line in CODE.findall(text):
        for typed in COMMAND.findall((block or line).replace("\\\n", " ")):
            yield re.sub(r"[][(),]", " ", typed).split()


def parser_of(command, words):
    """The parser of the command, or of its action where it has several."""
    parser = load_command_class(get_commands()[command], command).create_parser("benchsite", command)
    actions = [action.choices for action in parser._actions if isinstance(action, _SubParsersAction)]
    return actions[0][words[0]] if actions else parser


def test_commands_are_found_wherever_a_document_prints_them():
    block = "```sh\nX=1 benchsite list \\\n models; benchsite serve # b\n```"
    text = f"`benchsite` is\n{block}\nand `DEBUG=1 benchsite check`; benchsite is"
    assert list(commands_in(text)) == [["list", "models"], ["serve"], ["check"]]


def problem_of(command, words):
    """What is wrong with a printed command; "" if it has these options."""
    if command not in get_commands():
        return "there is no such command"
    parser = parser_of(command, words)
    known = {option for action in parser._actions for option in action.option_strings}
    assert parser.format_help()  # a bare % in a help text ends in a traceback
    return " ".join({word for word in words if re.fullmatch("--[a-z][a-z-]*", word)} - known)


def test_commands_in_documents_exist_with_these_options():
    used = [(name, *typed) for name, text in WRITTEN.items() for typed in commands_in(text)]
    assert len(used) > 100
    wrong = [one for one in used if problem_of(one[1], one[2:])]
    assert not wrong, "\n".join(map(str, wrong))


def exists(module: str, file: str, target: str) -> bool:
    """Whether there is this module, file or target of the Makefile."""
    if target:
        return bool(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE))
    path = ROOT / (file or module.replace(".", "/"))
    return path.exists() if file else path.with_suffix(".py").exists() or (path / "__main__.py").exists()


def test_programs_in_documents_exist():
    used = [(name, *found) for name, text in WRITTEN.items() for found in PROGRAM.findall(text)]
    wrong = [one for one in used if not exists(*one[1:])]
    assert not wrong, "\n".join(map(str, wrong))


def test_pictures_of_documents_are_served_and_links_to_code_are_words(visitor):
    html = "".join(rendered(name).html for name in documents())
    sources = re.findall(r'<img[^>]*src="(/docs/files/[^"]+)"', html)
    assert {visitor.get(source).status_code for source in sources} == {200}
    assert not re.search(r'href="(?!https?:)[^"]*\.(py|md)["#]', html)


def test_nothing_else_is_served(visitor):
    for path in ("../manage.py", "index.md", "%2e%2e/manage.py", "nothing.png", "..%2f..%2fetc/passwd"):
        assert visitor.get(f"/docs/files/{path}").status_code == 404
    for name in ("nothing", "../manage", "index", "manage.py", "shots/run-wide.png", "benchmarks/../../README"):
        assert visitor.get(f"/docs/{name}/").status_code == 404
