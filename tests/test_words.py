"""Words that were replaced by plainer ones stand nowhere: not on pages, in commands or in documents."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

APPS = ("accounts", "benchmarks", "benchsite", "evaluation", "extensions", "humantrials", "leaderboard", "measures")
TEMPLATES = (Path("templates"), *sorted(Path("extensions").glob("*/templates")))
# Old -> new. An old text is searched for as it stands, in any case, across line breaks.
WORDS = {
    "What is known": "Results so far",
    "no figure of a model yet": "no model tested yet",
    "the model evaluated here (upload)": "best model uploaded",
    "Published figures alone": "Published results only",
    "forest plots": "View",
    "telltales": "visible difference",
    "telltale of": "Difference visible ≥",
    "re-scored here": "answers re-scored by this site",
    "evaluated here twice": "reproduced",
    "evaluated twice, equal": "reproduced",
    "not separable from": "no different from",
    "Decidable from what was shown": "Visible in the sampled frames",
    "Free and constrained replies": "Free vs constrained answers",
    "Spread over wordings": "Sensitivity to wording",
    "it stays current": "updates automatically",
    "This figure on a page of its own": "Open chart page",
    "the best of this view": "(delete)",
    "Chance and the heuristics differ with it": "so chance and baseline scores differ too",
    "profile corrected": "errors in the original fixed",
    "Look of the clip": "Rendering",
    "People read:": "Wording shown to people",
    "Videos a person": "Videos per person",
    "Answers an item": "Answers per item",
    "A program that stood in for people": "Simulated participants",
    "Promises: all": "Design checks: … pass",
    "Link of the pilot": "Pilot link",
    "Items out of sight": "Hide questions while open",
    "Address of completion": "Completion URL",
    "Precision wanted": "Target precision",
    "Newcomers an hour": "New participants per hour",
    "Best reported figure of one test": "Best single-test score in the paper",
    "scaled to 100: no accuracy": "scaled to 100 (not accuracy)",
    "Each body of clips has a board of its own": "Each clip set has its own leaderboard",
    "Generated, corrected": "Generated here; errors in the original fixed",
    "Shown: nothing": "Input: no video",
    "Both of a pair": "Pair accuracy",
    "When did it break?": "Detecting the violation",
    "were an object gone": "if an object were removed",
    '"Everything" is one archive': "Download all",
    "every sheet that counts is put together": "nobody excluded",
    "each from another person": "each from a different person",
    "No pilot has come yet": "No pilot participants yet",
    "Mend these lines": "Fix these lines",
    "Take all of them along": "Download all as CSV",
    "Good rows": "Valid rows",
    "Given as": "Format",
    "Read by grasp-paper": "Parsed by",
    "Take it back": "Withdraw",
    "anew at": "resets at",
    "What it is for": "Name",
    "It is good for": "Expires in",
    "Heard, seconds ago": "Last heartbeat (s)",
    "Reached, and lost before": "Funnel",
    "What waits": "Queue",
    "What is often wanted": "Shortcuts",
    "Nothing was heard of it": "No update for",
    "it takes a long step": "it may have stopped",
    "No round was announced yet": "No rounds yet",
    "the address has a slip in it": "the address may be mistyped",
    "of them kept": "already there",
    "What to beat": "Known gaps of other tools",
    "how to report a hole": "Report a vulnerability",
    "That can't be": "Page not found",
    "One bar a model": "One bar per model",
}
AS_WRITTEN = {"Given as", "What it is for", "What is known", "What waits"}  # labels whose words are plain English else
NOT_BEFORE_WORDS = {"That can't be"}  # a title of its own
ANY_SPACE = re.compile(r"\s+")


def old_words_in(text: str) -> list[str]:
    """The old words that a text has, whatever its line breaks and quotes."""
    plain = ANY_SPACE.sub(" ", text).replace("’", "'")
    return [old for old in WORDS if _pattern(old).search(plain)]


def _pattern(old: str) -> re.Pattern[str]:
    end = r"(?! \w)" if old in NOT_BEFORE_WORDS else ""
    return re.compile(re.escape(old) + end, 0 if old in AS_WRITTEN else re.IGNORECASE)


def texts() -> Iterator[tuple[str, str]]:
    """Every text that somebody may read: templates, strings of Python files without their docstrings, definitions,
    documents."""
    for folder in TEMPLATES:
        for path in sorted(folder.rglob("*.*")):
            yield str(path), re.sub(r"{#.*?#}|{% comment %}.*?{% endcomment %}", "", path.read_text(), flags=re.DOTALL)
    for app in APPS:
        for path in sorted(Path(app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path), " ¶ ".join(strings_of(path.read_text()))
    for path in (*sorted(Path("docs").glob("*.md")), Path("README.md"), *sorted(Path("benchmarks").rglob("*.toml"))):
        yield str(path), path.read_text()


def strings_of(source: str) -> Iterator[str]:
    """The string constants of a Python file, without the docstrings."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | parts:
            yield node.value


def test_no_old_word_stands_anywhere_and_plain_english_is_left_alone():
    found = {path: old for path, text in texts() if (old := old_words_in(text))}
    assert found == {}
    assert old_words_in("That can't be read, and what is known is given as it is.") == []


@pytest.mark.parametrize("text", ["best of\n  THE best  of this VIEW", "That can’t be: 7"])
def test_an_old_word_is_found_across_lines_cases_and_quotes(text):
    assert len(old_words_in(text)) == 1


def test_docstrings_are_no_texts_and_parts_of_a_string_are_one():
    source = '"""What is known."""\ndef f(x):\n    """Good rows."""\n    return f"{x}" "What is " "known"\n'
    assert [old for text in strings_of(source) for old in old_words_in(text)] == ["What is known"]
