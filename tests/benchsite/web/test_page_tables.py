"""`{% table %}` and `{% pager %}`: what they write, what they refuse, and that pages use them."""

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Paginator
from django.template import RequestContext, Template, TemplateSyntaxError
from django.test import RequestFactory

from benchmarks.gallery.query import NoSuchChoice
from benchmarks.models import Pack
from tests.factories import make_clip, make_pack
from tests.markup import compact
from tests.programs import ROOT, TEMPLATES
from tests.worked_examples import module_under

# Tables by hand, and what they have that no column can say.
BY_HAND = {
    "extensions/generated/templates/generated/parts/board_table.html": "three kinds of evidence, each with its rank",
    "extensions/generated/templates/generated/parts/win_rates.html": "tinted cells, a diagonal",
    "templates/humantrials/parts/own_score.html": "rows of five different things, one part each",
    "templates/humantrials/parts/rated_answers.html": "a foot with sums",
    "templates/leaderboard/item.html": "who was right: rows of three different things",
    "templates/leaderboard/layout.html": "panels of rows, as a paper prints them",
    "templates/leaderboard/models.html": "a column per benchmark with a drawing in each cell",
    "templates/leaderboard/parts/cell_card.html": "a column per clip of twins, rows of a verdict each",
    "templates/leaderboard/parts/model_body.html": "groups of rows with a drawing each",
    "templates/leaderboard/parts/board_table.html": "the board: groups of rows, sorting, drawn cells",
    "templates/leaderboard/parts/compare_body.html": "rows grouped by the other row; a table of two by two",
    "templates/leaderboard/parts/concept_table.html": "blocks of columns, drawn as on boards",
    "templates/leaderboard/parts/home_chart.html": "groups of rows with a drawing each",
    "templates/leaderboard/parts/lanes.html": "a drawing in each row, and a foot with the axis",
    "templates/leaderboard/parts/replies.html": "a row that opens",
    "templates/leaderboard/parts/sample.html": "rows of three different things",
    "templates/leaderboard/parts/turned.html": "the board turned, under heads over groups of rows",
    "templates/leaderboard/parts/report_table.html": "names that span rows",
    "templates/leaderboard/parts/who_was_right.html": "a table of two by two",
}
ROWS = [
    {"name": "<b>", "n": 2, "notes": ["x", "y"], "key": "run-1 all all"},
    {"name": "Bo", "n": 3, "notes": ["z", ""]},
]


def drawn(text: str, address: str = "/", **facts: object) -> str:
    return compact(Template(text).render(RequestContext(RequestFactory().get(address), facts)))


def test_a_table_has_heads_cells_classes_and_roles_and_escapes_what_it_shows():
    table = """{% table one in rows label=title class="plain wide" scroll="list" caption=title %}
        {% row %}{% if one.n > 2 %} class="much"{% endif %}
        {% column "Name" row dir="auto" %}{{ one.name }}
        {% column name n title="what & how" figure=one.key %} {{ one.n }}
        {% class %}{% if one.n > 2 %}bad{% endif %}
        {% columns head in heads for note in one.notes class="prose" headclass="oneline" %}<i>{{ head }}</i>{% cell %}
          {{ note }}
        {% column "Act" hidden %}-
        {% column "Left out" if one %}?
        {% last %}<tr><td>all</td></tr>
        {% below %}<p>below</p>
        {% empty "None" %}
        {% endtable %}"""
    found = drawn(table, rows=ROWS, title='"A" & B', name="n<", heads=["p", "q"])
    title = "&quot;A&quot; &amp; B"
    assert found == (
        f'<div class="scroll list" tabindex="0" role="region" aria-label="{title}"><table class="plain wide">'
        f'<caption>{title}</caption><thead><tr><th scope="col">Name</th>'
        '<th scope="col" class="n"><abbr title="what & how">n&lt;</abbr></th>'
        '<th scope="col" class="oneline"><i>p</i></th><th scope="col" class="oneline"><i>q</i></th>'
        '<th scope="col"><span class="sr">Act</span></th></tr></thead><tbody>'
        '<tr><th scope="row" dir="auto">&lt;b&gt;</th><td class="n" data-figure="run-1 all all">2</td>'
        '<td class="prose">x</td><td class="prose">y</td><td>-</td></tr>'
        '<tr class="much"><th scope="row" dir="auto">Bo</th><td class="n bad">3</td>'
        '<td class="prose">z</td><td class="prose"></td><td>-</td></tr><tr><td>all</td></tr>'
        "</tbody></table></div><p>below</p>"
    )


def test_a_table_of_cards_names_the_head_in_each_cell():
    page = '{% table one in rows cards %}{% column "N" n %}{{ one.n }}{% column "Act" hidden %}-{% endtable %}'
    found = drawn(page, rows=ROWS[:1])
    assert '<table class="plain cardlist" role="table"><thead role="rowgroup"><tr role="row">' in found
    assert '<th scope="col" role="columnheader" class="n">N</th>' in found
    cells = '<td role="cell" data-label="N" class="n">2</td><td role="cell">-</td>'
    assert f'<tbody role="rowgroup"><tr role="row">{cells}</tr></tbody>' in found


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ('{% empty "No row." %}', '<div class="empty"><p><strong>No row.</strong></p></div>'),
        ("{% empty says %}<p>more</p>", '<div class="empty"><p><strong>&lt;i&gt;</strong></p><p>more</p></div>'),
        ("{% empty %}<p>bare</p>", "<p>bare</p>"),
        ("{% empty %}", ""),
        ("{% first %}<tr></tr>", '<table class="plain"><tbody><tr></tr></tbody></table>'),
    ],
)
def test_without_rows_a_sentence_stands_in_place_of_the_table(part, expected):
    page = "{% table a, b in rows %}{% column row %}{{ a }}{% below %}below" + part + "{% endtable %}"
    assert drawn(page, rows=[], says="<i>") == expected


@pytest.mark.parametrize(
    "text",
    [
        "{% table one in rows lable='x' %}{% endtable %}",
        "{% table one in rows %}{% column 'A' wide %}{% endtable %}",
        "{% table one in rows %}<p>{% column 'A' %}{% endtable %}",
        "{% table one in rows %}{% column 'A' %}",
    ],
)
def test_a_word_that_no_table_knows_is_refused(text):
    with pytest.raises(TemplateSyntaxError):
        Template(text)


def test_a_head_to_sort_by_keeps_the_rest_of_the_address():
    head = {"title": "Size", "query": "-size", "direction": "ascending"}
    page = "{% table one in rows %}{% column n sort=head %}{{ one.n }}{% endtable %}"
    found = drawn(page, rows=ROWS[:1], address="/?kind=open&page=3", head=head)
    assert '<th scope="col" class="n" aria-sort="ascending"><a href="?kind=open&amp;sort=-size">Size</a></th>' in found


@pytest.mark.parametrize(
    ("tag", "before", "after"),
    [
        ("{% pager page %}", "?state=a%26b&amp;page=1", "?state=a%26b&amp;page=3"),
        ('{% pager page "a=1&b" "#flips" %}', "?a=1&amp;b&amp;page=1#flips", "?a=1&amp;b&amp;page=3#flips"),
    ],
)
def test_the_pager_leads_to_the_pages_beside_this_one(tag, before, after):
    found = drawn(tag, "/?state=a%26b&page=2", page=Paginator(range(6), 2).page(2))
    assert (f'rel="prev" href="{before}"' in found, f'rel="next" href="{after}"' in found) == (True, True)
    assert "Page 2 of 3" in found
    assert drawn(tag, page=Paginator(range(2), 2).page(1)) == ""


def test_facts_are_pairs_of_which_some_have_a_condition():
    page = """{% facts %}
        {% fact "Name" %} {{ name }}
        {% fact name number if name and rows %}{{ rows|length }}
        {% fact "Left out" if not rows %}?
        {% endfacts %}"""
    expected = '<dl class="facts"><dt>Name</dt><dd>&lt;b&gt;</dd><dt>&lt;b&gt;</dt><dd class="number">2</dd></dl>'
    assert drawn(page, rows=ROWS, name="<b>") == expected


def test_choices_keep_the_rest_of_the_address_and_begin_at_the_first_page():
    options = [("", "all"), ("a&b", "<both>")]
    page = '{% choices "state" options "a&b" "State" %}'
    found = drawn(page, "/?state=a%26b&draw=1&page=3", options=options)
    assert found == (
        '<nav class="segments" aria-label="State"><a href="?draw=1">all</a>'
        '<a href="?state=a%26b&amp;draw=1" aria-current="true">&lt;both&gt;</a></nav>'
    )
    assert '<a href="?">all</a>' in drawn(page, options=options)


def by_hand(text: str) -> bool:
    return bool(re.search(r"<table\b", text))


def test_no_other_table_is_written_by_hand():
    pages = {str(path.relative_to(ROOT)): path for folder in TEMPLATES for path in folder.rglob("*.html")}
    assert {name for name, path in pages.items() if by_hand(path.read_text())} == set(BY_HAND)
    assert by_hand("<p>\n<table\nclass='x'>")


@pytest.mark.django_db
def test_the_worked_example_lists_packs_by_the_page(monkeypatch):
    """The list page of docs/architecture.md."""
    view = module_under("A list page", monkeypatch, "benchmarks.gallery.pack_list").packs
    request = RequestFactory().get("/packs/?page=2")
    request.user = AnonymousUser()
    with pytest.raises(NoSuchChoice):
        view(request)
    make_clip(make_pack(title="First", name="first"))
    Pack.objects.bulk_create(Pack(benchmark="grasp", name=f"p{number}", title=f"<{number}>") for number in range(50))
    found = compact(view(request).content.decode())
    assert '<a href="/benchmarks/grasp/items/?pack=p49">&lt;49&gt;</a></th><td class="n">0</td></tr></tbody>' in found
    assert '<a rel="prev" href="?page=1">Previous</a>' in found
