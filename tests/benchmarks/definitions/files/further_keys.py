"""A benchmark.toml with further keys of the schema, and errors that fit its form but make no sense."""

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
ROW = 'cells = ["1", "", ""], marks = { All = "odd" }'
NO_SUCH = "there is: 1, 2"
WRONG = [
    ('rings = ["test", "scene"]', 'rings = ["test", "colour"]', "rings", "there is: level, test, split"),
    ('media = "public"', 'media = "public"\nprotocols = ["pacs-audio"]', "protocols", "part of this site"),
    ("[[levels]]", '[sheets]\nby = "scene"\n\n[[levels]]', "sheets", "part of this site"),
    ("[[levels]]", '[sheets]\nby = "colour"\n\n[[levels]]', "sheets.by", "there is: level"),
    ('title = "Told"', 'title = "Told"\ndimensions = ["speed"]', "levels[2].dimensions", "part of this site"),
    ('"high"', '"low"', "facets[2].values[2]", "twice"),
    ('level = "1", concepts', 'level = "3", concepts', "facets[2].values[2].level", NO_SUCH),
    ('part_of = "low"', 'part_of = "deep"', "facets[2].values[3].part_of", "there is: high, low, lower"),
    (KIND, f'{KIND}level = "1"\n', "kinds[1].levels", "one of the two"),
    ('levels = ["1", "2"]', 'levels = ["1", "3"]', "kinds[1].levels", NO_SUCH),
    ('kinds = ["stands"]\nlevel = "1"\n', 'kinds = ["stands"]\n', "prompts[1].kinds", "several levels: 1, 2"),
    ('kinds = ["stands"]\nlevel = "1"', 'kinds = ["stands"]\nlevel = "3"', "prompts[1].level", NO_SUCH),
    ('kinds = ["why"]', 'kinds = ["why"]\nlevel = "2"', "prompts[4].level", "not all its kinds"),
    ("{question} {answer}", "{questions}", "prompts[1].example", "{question}, {answer}"),
    (PROMPT, '[[prompts]]\nname = "direct"\n', "prompts[1].name", "begins with towers-"),
    ("stills = true", 'measure = "surprise"', "prompts[1].text", "leave it out"),
    ("stills = true", 'measure = "surprise"', "prompts[1].measure", "part of this site"),
    ('text = "{question} It lasts {seconds} s."', "", "prompts[1].text", "is missing"),
    ('likelihood"\nvariant_of = "towers-direct"', 'likelihood"\nvariant_of = "x"', "prompts[2].variant_of", "there is"),
    ('"towers-direct-likelihood"', '"towers-quick"', "prompts[2].name", "likelihood, constrained, wordings"),
    ('likelihood"\n', 'likelihood"\ntext = "?"\n', "prompts[2].text", "leave it out"),
    (
        '[[prompts]]\nname = "towers-told"',
        '[[prompts]]\nname = "towers-why-constrained"\nvariant_of = "towers-why"\n\n[[prompts]]\nname = "towers-told"',
        "prompts[5].name",
        "have no options",
    ),
    (TEXT[TEXT.index("[[wordings]]") : TEXT.index("[[published]]")], "", "prompts[3].name", "no wordings"),
    ('apart = "scene"', 'apart = "colour"', "people.apart", "there is: level, test, split"),
    ('rotated = 1\n\n[wordings.put]\n"Yes or no?" = "No or yes?"', "", "wordings[1]", "changes nothing"),
    ('parameters = "7B"', 'dimension = "accuracy"', "published[1].dimension", "part of this site"),
    ("interval = true\ncells", "figures = { overall = 1 }\ncells", "published[1].figures", "one of"),
    ('own_splits = ["test"]', 'own_splits = ["train"]', "tables[1].own_splits", "there is: all, test"),
    ('place = { level = "1", prompt', 'place = { level = "3", prompt', "tables[1].place.level", NO_SUCH),
    ('prompt = "towers-direct", c', 'prompt = "x", c', "tables[1].place.prompt", "there is: towers-direct"),
    ('split = "all" }', 'split = "x" }', "tables[1].place.split", "there is: all, test"),
    ('level = "1", prompt = "towers-why"', 'level = "3"', "tables[1].columns[2].level", NO_SUCH),
    ('prompt = "towers-why", c', 'prompt = "x", c', "tables[1].columns[2].prompt", "there is: towers-direct"),
    ('split = "test", rep', 'split = "x", rep', "tables[1].columns[2].split", "there is: all, test"),
    ('["All", "Low"]', '["All", "High"]', "tables[1].columns[3].difference", "there is: All, Low, Less"),
    (ROW, 'cells = ["1", ""]', "tables[1].rows[2].cells", "2 cells for 3 columns"),
    (ROW, 'cells = ["1", "", ""], marks = { Any = "odd" }', "tables[1].rows[2].marks", "there is: All, Low, Less"),
    ('place = { level = "1" } },', 'place = { level = "3" } },', "tables[1].rows[2].place.level", NO_SUCH),
    ('place = { level = "1" } },', 'place = { prompt = "x" } },', "tables[1].rows[2].place.prompt", "there is: towers"),
    ('place = { level = "1" } },', 'place = { split = "x" } },', "tables[1].rows[2].place.split", "there is: all"),
]
