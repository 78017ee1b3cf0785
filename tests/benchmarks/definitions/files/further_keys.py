"""A benchmark.toml with further keys of the schema, and one error for each key."""

TEXT = """\
schema = 1
slug = "towers"
title = "Towers"
question = "Will it stand?"
version = "1.0"
licence = "CC0"
media = "public"
made_media = "participants"
released = false
splits = ["all", "test"]
parsers = ["one-option", "last-answer-line", "likelihood"]
clusters = "dyad"
rings = ["test", "scene"]

[[levels]]
number = "1"
title = "Seen"
printed = "scores of a referee"

[[levels]]
number = "2"
title = "Told"

[[facets]]
name = "level"
title = "Half"

[[facets]]
name = "scene"
title = "Scene"
values = [
  "high",
  { value = "low", title = "Low", number = 3, level = "1", concepts = ["gravity"] },
  { value = "lower", part_of = "low" },
]

[[facets]]
name = "split"
title = "Halves"

[[kinds]]
name = "stands"
answer = "yes-no"
levels = ["1", "2"]

[[kinds]]
name = "why"
answer = "free"

[[prompts]]
name = "towers-direct"
kinds = ["stands"]
level = "1"
ours = false
version = "3"
example = "Such as {question} {answer}"
clip_names = ["The tower:"]
choice_names = ["A:", "B:"]
stills = true
text = "{question} It lasts {seconds} s."
chances = { overall = 0.5 }

[[prompts]]
name = "towers-direct-likelihood"
variant_of = "towers-direct"

[[prompts]]
name = "towers-direct-wordings"
variant_of = "towers-direct"

[[prompts]]
name = "towers-why"
kinds = ["why"]
text = "{question}"

[[prompts]]
name = "towers-told"
kinds = ["stands"]
level = "2"
text = "{question}"

[people]
title = "Will it stand?"
kind = "stands"
protocol = "one-of-each"
apart = "scene"
invitation = "You are invited to look at towers of blocks."
instructions = ["Watch, then answer."]
answers = 2

[[wordings]]
name = "no before yes"
changes = "order"
rotated = 1

[wordings.put]
"Yes or no?" = "No or yes?"

[[published]]
name = "Model of the paper"
source = "Figure 1"
level = "1"
parameters = "7B"
condition = "first-frame"
interval = true
cells = [["overall", "61.5 ± 2.0"], ["low", "70", "", "misprint"]]

[[tables]]
name = "table-1"
source = "Table 1"
title = "Scores"
labels = ["Who"]
notes = ["As printed."]
own_splits = ["test"]
place = { level = "1", prompt = "towers-direct", condition = "video", split = "all" }
columns = [
  { title = "All", column = "overall", figure = "average" },
  { title = "Low", level = "1", prompt = "towers-why", condition = "video", split = "test", repeated = true },
  { title = "Less", difference = ["All", "Low"] },
]
rows = [
  { name = "GPT", labels = ["GPT"], cells = ["1", "2", "3"], kind = "model", note = "Once.", interval = true },
  { name = "Other", cells = ["1", "", ""], marks = { All = "odd" }, place = { level = "1" } },
]

[[defects]]
paper = "One."
release = "Two."
here = "Two."
"""

PROMPT, KIND = '[[prompts]]\nname = "towers-direct"\n', '[[kinds]]\nname = "stands"\n'
COLUMN, ROW = (
    '{ title = "All", column = "overall", figure = "average" }',
    'cells = ["1", "", ""], marks = { All = "odd" }',
)
NO_SUCH = "there is: 1, 2"
WRONG = [
    ('"participants"', '"all"', "made_media", "public, participants, none"),
    ("released = false", 'thumbnails = "best"', "thumbnails", "first, middle, last"),
    ("released = false", 'released = "no"', "released", "true or false"),
    ('"last-answer-line", ', '"mine", ', "parsers[2]", "one-option, last-answer-line"),
    ('"dyad"', '"pair"', "clusters", "clip, dyad"),
    ('rings = ["test", "scene"]', 'rings = ["test"]', "rings", "too short"),
    ('rings = ["test", "scene"]', 'rings = ["test", "colour"]', "rings", "there is: level, test, split"),
    ('media = "public"', 'media = "public"\nprotocols = ["pacs-audio"]', "protocols", "part of this site"),
    ("[[levels]]", '[sheets]\nby = "scene"\n\n[[levels]]', "sheets", "part of this site"),
    ("[[levels]]", '[sheets]\nby = "colour"\n\n[[levels]]', "sheets.by", "there is: level"),
    ("[[levels]]", "[sheets]\nabout = 1\n\n[[levels]]", "sheets.about", "a text in quotes"),
    ('printed = "scores of a referee"', "printed = 1", "levels[1].printed", "a text in quotes"),
    ('title = "Told"', 'title = "Told"\ndimensions = ["speed"]', "levels[2].dimensions", "part of this site"),
    ('"high"', "7", "facets[2].values[1]", "a table or a text in quotes"),
    ('"high"', '"low"', "facets[2].values[2]", "twice"),
    ("number = 3", 'number = "3"', "facets[2].values[2].number", "a whole number"),
    ('level = "1", concepts', 'level = "3", concepts', "facets[2].values[2].level", NO_SUCH),
    ('part_of = "low"', 'part_of = "deep"', "facets[2].values[3].part_of", "there is: high, low, lower"),
    ('["gravity"]', "[]", "facets[2].values[2].concepts", "too short"),
    (KIND, f'{KIND}level = "1"\n', "kinds[1].levels", "one of the two"),
    ('levels = ["1", "2"]', 'levels = ["1", "3"]', "kinds[1].levels", NO_SUCH),
    ('kinds = ["stands"]\nlevel = "1"\n', 'kinds = ["stands"]\n', "prompts[1].kinds", "several levels: 1, 2"),
    ('kinds = ["stands"]\nlevel = "1"', 'kinds = ["stands"]\nlevel = "3"', "prompts[1].level", NO_SUCH),
    ('kinds = ["why"]', 'kinds = ["why"]\nlevel = "2"', "prompts[4].level", "not all its kinds"),
    ("ours = false", "ours = 1", "prompts[1].ours", "true or false"),
    ('version = "3"', "version = 3", "prompts[1].version", "a text in quotes"),
    ("{question} {answer}", "{questions}", "prompts[1].example", "{question}, {answer}"),
    (PROMPT, '[[prompts]]\nname = "direct"\n', "prompts[1].name", "begins with towers-"),
    ('clip_names = ["The tower:"]', "clip_names = [1]", "prompts[1].clip_names[1]", "a text in quotes"),
    ('choice_names = ["A:", "B:"]', 'choice_names = ["A:"]', "prompts[1].choice_names", "too short"),
    ("stills = true", 'stills = "yes"', "prompts[1].stills", "true or false"),
    ("stills = true", 'measure = "speed"', "prompts[1].measure", "surprise, moment, which-of-two"),
    ("stills = true", 'measure = "surprise"', "prompts[1].text", "leave it out"),
    ("stills = true", 'measure = "surprise"', "prompts[1].measure", "part of this site"),
    ('text = "{question} It lasts {seconds} s."', "", "prompts[1].text", "is missing"),
    ("chances = { overall = 0.5 }", "chances = {}", "prompts[1].chances", "at least 1 key"),
    ("{ overall = 0.5 }", "{ overall = 50 }", "prompts[1].chances.overall", "at most 1"),
    ('likelihood"\nvariant_of = "towers-direct"', 'likelihood"\nvariant_of = "x"', "prompts[2].variant_of", "there is"),
    (
        'name = "towers-direct-likelihood"',
        'name = "towers-quick"',
        "prompts[2].name",
        "likelihood, constrained, wordings",
    ),
    (
        'name = "towers-direct-likelihood"\n',
        'name = "towers-direct-likelihood"\ntext = "?"\n',
        "prompts[2].text",
        "leave it out",
    ),
    (
        '[[prompts]]\nname = "towers-told"',
        '[[prompts]]\nname = "towers-why-constrained"\nvariant_of = "towers-why"\n\n[[prompts]]\nname = "towers-told"',
        "prompts[5].name",
        "have no options",
    ),
    (TEXT[TEXT.index("[[wordings]]") : TEXT.index("[[published]]")], "", "prompts[3].name", "no wordings"),
    ('apart = "scene"', 'apart = "colour"', "people.apart", "there is: level, test, split"),
    ("[[wordings]]", "[wordings]", "wordings", "a list"),
    ('name = "no before yes"', 'name = ""', "wordings[1].name", "too short"),
    ('changes = "order"', 'changes = "all"', "wordings[1].changes", "words, order"),
    ("rotated = 1", "rotated = 26", "wordings[1].rotated", "at most 25"),
    ('"Yes or no?" = "No or yes?"', "", "wordings[1].put", "at least 1 key"),
    ('rotated = 1\n\n[wordings.put]\n"Yes or no?" = "No or yes?"', "", "wordings[1]", "changes nothing"),
    ('parameters = "7B"', "parameters = 7", "published[1].parameters", "a text in quotes"),
    ('condition = "first-frame"', 'condition = "dark"', "published[1].condition", "video, text"),
    ('parameters = "7B"', 'dimension = "The accuracy"', "published[1].dimension", "must fit"),
    ('parameters = "7B"', 'dimension = "accuracy"', "published[1].dimension", "part of this site"),
    ("interval = true\ncells", "interval = 1\ncells", "published[1].interval", "true or false"),
    ('["overall", "61.5 ± 2.0"]', '["overall"]', "published[1].cells[1]", "too short"),
    ("cells = [[", "cells = 1 # [[", "published[1].cells", "a list"),
    ("interval = true\ncells", "figures = { overall = 1 }\ncells", "published[1].figures", "one of"),
    ("[[tables]]", "[tables]", "tables", "a list"),
    ('name = "table-1"', 'name = "Table 1"', "tables[1].name", "must fit"),
    ('source = "Table 1"', "source = 1", "tables[1].source", "a text in quotes"),
    ('title = "Scores"\n', "", "tables[1].title", "is missing"),
    ('labels = ["Who"]', "labels = []", "tables[1].labels", "too short"),
    ('notes = ["As printed."]', 'notes = "As printed."', "tables[1].notes", "a list"),
    ('own_splits = ["test"]', 'own_splits = ["train"]', "tables[1].own_splits", "there is: all, test"),
    ('place = { level = "1", prompt', 'place = { where = "1", prompt', "tables[1].place.where", "there is: level"),
    ('place = { level = "1", prompt', 'place = { level = "3", prompt', "tables[1].place.level", NO_SUCH),
    ('prompt = "towers-direct", c', 'prompt = "x", c', "tables[1].place.prompt", "there is: towers-direct"),
    ('condition = "video", split = "all"', 'condition = "x"', "tables[1].place.condition", "video, text"),
    ('split = "all" }', 'split = "x" }', "tables[1].place.split", "there is: all, test"),
    ("place = { level", "place = [] # { level", "tables[1].place", "a table"),
    (COLUMN, "1", "tables[1].columns[1]", "a table"),
    (COLUMN, '{ column = "overall" }', "tables[1].columns[1].title", "is missing"),
    (COLUMN, '{ title = "All", column = 1 }', "tables[1].columns[1].column", "a text in quotes"),
    (COLUMN, '{ title = "All", figure = 1 }', "tables[1].columns[1].figure", "a text in quotes"),
    ('level = "1", prompt = "towers-why"', 'level = "3"', "tables[1].columns[2].level", NO_SUCH),
    ('prompt = "towers-why", c', 'prompt = "x", c', "tables[1].columns[2].prompt", "there is: towers-direct"),
    ('condition = "video", split = "test"', 'condition = "x"', "tables[1].columns[2].condition", "video, text"),
    ('split = "test", rep', 'split = "x", rep', "tables[1].columns[2].split", "there is: all, test"),
    ("repeated = true", "repeated = 1", "tables[1].columns[2].repeated", "true or false"),
    ('["All", "Low"]', '["All", "High"]', "tables[1].columns[3].difference", "there is: All, Low, Less"),
    ("columns = [", "columns = 1 # [", "", "no TOML"),
    (TEXT[TEXT.index("columns = [") : TEXT.index("rows = [")], "columns = []\n", "tables[1].columns", "too short"),
    (TEXT[TEXT.index("rows = [") : TEXT.index("[[defects]]")], "rows = []\n", "tables[1].rows", "too short"),
    ('name = "Other", ', "", "tables[1].rows[2].name", "is missing"),
    ('labels = ["GPT"]', 'labels = "GPT"', "tables[1].rows[1].labels", "a list"),
    (ROW, 'cells = ["1", ""]', "tables[1].rows[2].cells", "2 cells for 3 columns"),
    (ROW, 'cells = ["1", "", ""], marks = { Any = "odd" }', "tables[1].rows[2].marks", "there is: All, Low, Less"),
    ('kind = "model"', 'kind = "robot"', "tables[1].rows[1].kind", "model, human, baseline, statistic"),
    ('note = "Once."', "note = 1", "tables[1].rows[1].note", "a text in quotes"),
    ("interval = true }", "interval = 1 }", "tables[1].rows[1].interval", "true or false"),
    ('place = { level = "1" } },', "place = 1 },", "tables[1].rows[2].place", "a table"),
    ('place = { level = "1" } },', 'place = { level = "3" } },', "tables[1].rows[2].place.level", NO_SUCH),
    ('place = { level = "1" } },', 'place = { prompt = "x" } },', "tables[1].rows[2].place.prompt", "there is: towers"),
    (
        'place = { level = "1" } },',
        'place = { condition = "x" } },',
        "tables[1].rows[2].place.condition",
        "video, text",
    ),
    ('place = { level = "1" } },', 'place = { split = "x" } },', "tables[1].rows[2].place.split", "there is: all"),
    ("[[defects]]", "[defects]", "defects", "a list"),
    ('paper = "One."\n', "", "defects[1].paper", "is missing"),
    ('release = "Two."', "release = 2", "defects[1].release", "a text in quotes"),
    ('here = "Two."', "here = 2", "defects[1].here", "a text in quotes"),
]
