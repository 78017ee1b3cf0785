"""The documentation: each file is a page, its links lead somewhere, and the commands and programs in it exist."""

import re
from argparse import _SubParsersAction
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchsite.web.document_search import parts_of, search
from benchsite.web.documents import address_in, address_of, documents, rendered, searchable, tree

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
    budget = 40_000 + 1_000 + 750  # of the plan, of docs/security.md, of harnesses, clusters and citing
    assert sum(len(path.read_text().split()) for path in paths) <= budget


def test_every_document_has_a_name_of_its_own():
    assert documents()["security"] == ROOT / "docs/security.md"
    assert documents()["report-a-vulnerability"] == ROOT / "SECURITY.md"


def test_the_tree_stands_on_every_page_in_the_order_of_the_index(visitor):
    links = [address for _, part in tree() for address, _ in part]
    assert len(links) == len(set(links)) > 25
    assert {address_of(name) for name in documents() if not re.match("decisions/|readme$|$", name)} <= set(links)
    assert visitor.get("/docs/").content.decode().count('aria-current="page">Overview') == 1
    for before, here, after in zip(links, links[1:], links[2:], strict=False):
        page = visitor.get(here).content.decode()
        assert all(f'href="{address}"' in page for address in links)
        assert f'href="{here}" aria-current="page"' in page
        assert f'rel="prev" href="{before}"' in page
        assert f'rel="next" href="{after}"' in page
    assert "rel=" not in visitor.get("/docs/decisions/0018-ranks/").content.decode().partition("<article")[2]


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("slurm", "/docs/deploying/#gpu-boxes"),
        ("Cluster", "/docs/deploying/#gpu-boxes"),
        ("GPU", "/docs/deploying/#gpu-boxes"),
        ("GPUs", "/docs/deploying/#gpu-boxes"),
        ("retention", "/docs/deploying/#retention"),
    ],
)
def test_the_search_finds_the_part_that_answers(query, address):
    assert search(searchable(), query)[0].part.address.startswith(address)


def hits(query, *texts):
    """The sentences found in pages of one paragraph each, best first."""
    pages = [parts_of(f"/{at}/", f"Page {at}", f"<p>{text}</p>") for at, text in enumerate(texts)]
    return [hit.excerpt for hit in search([part for page in pages for part in page], query)]


def test_whole_words_come_before_beginnings_and_every_word_is_needed():
    texts = ("Gatewayed things.", "One gate.", "A door.", "Gates &amp; doors.")
    assert hits("gate", *texts) == [
        "One <mark>gate</mark>.",
        "<mark>Gates</mark> &amp; doors.",
        "<mark>Gatewayed</mark> things.",
    ]
    assert hits("doors gates", *texts) == ["<mark>Gates</mark> &amp; <mark>doors</mark>."]
    assert hits("nowhere", *texts) == hits("?!", *texts) == hits("ate", *texts) == []


def test_a_long_sentence_is_cut_around_its_hit_and_holds_no_markup():
    (found,) = hits("needle", f"{'hay ' * 200}&lt;b&gt; needle {'hay ' * 200}")
    assert found.startswith("… ")
    assert found.endswith(" …")
    assert "&lt;b&gt; <mark>needle</mark>" in found
    assert len(found) < 300


def test_the_search_is_a_form_of_every_page_and_says_when_nothing_is_found(visitor):
    page = visitor.get("/docs/", {"q": "  slurm  "}).content.decode()
    assert '<form class="row" method="get" action="/docs/" role="search">' in page
    assert 'value="slurm"' in page
    assert "<mark>Slurm</mark>" in page
    assert "No page has all of these words." in visitor.get("/docs/", {"q": "xyzzy <b>" * 50}).content.decode()
    assert "<title>Documentation" in visitor.get("/docs/", {"q": "  "}).content.decode()


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


def test_pictures_of_documents_and_nothing_else_are_served_and_links_to_code_are_words(visitor):
    html = "".join(rendered(name).html for name in documents())
    sources = re.findall(r'<img[^>]*src="(/docs/files/[^"]+)"', html)
    assert {visitor.get(source).status_code for source in sources} == {200}
    assert not re.search(r'href="(?!https?:)[^"]*\.(py|md)["#]', html)
    for path in ("../manage.py", "index.md", "%2e%2e/manage.py", "nothing.png", "..%2f..%2fetc/passwd"):
        assert visitor.get(f"/docs/files/{path}").status_code == 404
    for name in ("nothing", "../manage", "index", "manage.py", "shots/run-wide.png", "benchmarks/../../README"):
        assert visitor.get(f"/docs/{name}/").status_code == 404


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_blocks_of_code_have_a_button_that_copies_them(chromium, live_server):
    page = chromium.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{live_server.url}/docs/tutorials/first-evaluation/")
    blocks, buttons = page.locator("article pre"), page.get_by_role("button", name="Copy", exact=True)
    assert buttons.count() == blocks.count() > 3
    buttons.first.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == blocks.first.inner_text().rstrip()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.context.close()


def test_programs_read_every_page_as_markdown(client):
    """/llms.txt leads to the source of each page of the tree."""
    text = client.get("/llms.txt").content.decode()
    links = re.findall(r"^- \[(.+)\]\(http://testserver(/docs/\S+\.md)\)$", text, re.MULTILINE)
    assert len(links) == sum(len(links) for _, links in tree())
    for title, address in links:
        page = client.get(address)
        assert page["Content-Type"] == "text/markdown; charset=utf-8", title
        assert b"".join(page.streaming_content).startswith((b"#", b"<"))
    assert client.get("/docs/no-such-page.md").status_code == 404
