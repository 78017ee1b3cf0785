"""What a wheel holds beside Python: see pyproject.toml for the rest."""

from setuptools import find_packages, setup

CORE = ("accounts", "benchmarks", "benchsite", "evaluation", "humantrials", "leaderboard", "measures", "scenes")
# What the site reads from the top of a checkout is installed below `benchsite/files`, where no other project's
# `templates` or `docs` lie; `FILES_DIR` of the settings finds it in either place.
FILES = "benchsite.files"

setup(
    packages=[*find_packages(include=[f"{name}{end}" for name in (*CORE, "extensions") for end in ("", ".*")]), FILES],
    package_dir={FILES: "."},
    package_data={
        FILES: ["*.md", "CITATION.cff", "LICENSE", "templates/**", "static/**", "docs/**", "locale/**/*.mo"],
        "benchmarks.definitions": ["data/**", "files/**"],
        "evaluation.referees": ["prompts/*"],
        "extensions": ["*/templates/**", "*/static/**", "generated/**/*.toml", "generated/**/*.json"],
        "humantrials": ["assets/**"],
        "scenes": ["*/data/*"],
    },
)
