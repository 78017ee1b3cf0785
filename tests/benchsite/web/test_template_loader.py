"""The indentation of templates is removed from pages."""

from django.template.loader import get_template

from benchsite.web.template_loader import flush


def test_indentation_goes_but_in_what_is_shown_as_it_is_written():
    html = "<ul>\n    <li>a\n      b</li>\n</ul>\n<pre>\n  two\n    four</pre>\n  <textarea>\n  kept</textarea>\n  <p>"
    wanted = "<ul>\n<li>a\nb</li>\n</ul>\n<pre>\n  two\n    four</pre>\n<textarea>\n  kept</textarea>\n<p>"
    assert flush(html) == wanted


def test_the_sites_own_templates_are_loaded_so_and_letters_are_not(tmp_path, settings):
    (tmp_path / "page.html").write_text("<div>\n  <b>{{ name }}</b>\n</div>")
    (tmp_path / "letter.txt").write_text("Dear\n  {{ name }}")
    settings.TEMPLATES = [settings.TEMPLATES[0] | {"DIRS": [tmp_path]}]
    assert get_template("page.html").render({"name": "x"}) == "<div>\n<b>x</b>\n</div>"
    assert get_template("letter.txt").render({"name": "x"}) == "Dear\n  x"


def test_an_opening_tag_stands_on_one_line_with_one_space_between_its_attributes():
    html = '<a href="?a > b"\n   {% if a > b %} class="c"{% endif %}\n   title="d">\n  <input\n    name="e"\n  >'
    assert flush(html) == '<a href="?a > b"{% if a > b %} class="c"{% endif %} title="d">\n<input name="e">'
