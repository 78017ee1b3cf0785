"""Licences of the installed packages, as they state them.

`python -m tests.deployment.licences` rewrites the table of docs/licences.md.
"""

import re
from importlib import metadata

from tests.site import ROOT

DOCUMENT = ROOT / "docs" / "licences.md"
TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end of table -->)", re.DOTALL)
# Without packages that only the first releases of Python 3.11 need.
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==\S+ (?!; python_full_version)", re.MULTILINE)

# The first pattern that fits a package's own text names its licence; licences with conditions come first.
FAMILIES = (
    ("AGPL", r"AGPL|AFFERO"),
    ("LGPL", r"LGPL|LESSER GENERAL"),
    ("GPL", r"GPL|GNU GENERAL"),
    ("MPL 2.0", r"MPL|MOZILLA"),
    ("Apache 2.0", r"APACHE"),
    ("BSD", r"BSD"),
    ("MIT", r"MIT\b"),
    ("Python", r"PSF|PYTHON SOFTWARE|CNRI"),
    ("Zope", r"ZPL|ZOPE"),
    ("zlib", r"ZLIB"),
    ("ISC", r"\bISC"),
)
ASK_NOTHING = {"Apache 2.0", "BSD", "MIT", "Python", "Zope", "zlib", "ISC"}  # beyond naming them
# Packages without a statement: from the source distribution's LICENSE, and from conda-forge.
BY_HAND = {"axe-playwright-python": "MIT", "mlcroissant": "Apache 2.0"}


def locked(name: str) -> list[str]:
    """The packages of a lock."""
    return PINNED.findall((ROOT / name).read_text())


def licence_of(package: str) -> str:
    """The licence's family; "" for a package that states none, or another one."""
    facts = metadata.metadata(package)
    stated_as = {name: "".join(facts.get_all(name, [])) for name in ("License-Expression", "License")}
    kinds = [line for line in facts.get_all("Classifier", []) if line.startswith("License")]
    # of a choice between two, the one with fewer conditions
    words = stated_as["License-Expression"].split(" OR ")[-1].upper()
    words = words or " ".join([stated_as["License"].partition("\n")[0], *kinds]).upper()
    stated = (family for family, pattern in FAMILIES if re.search(pattern, words))
    return BY_HAND.get(package) or next(stated, "")


def licences(name: str) -> dict[str, str]:
    """Each installed package of a lock with its licence, without packages for other systems only."""
    return {package: licence_of(package) for package in locked(name) if _installed(package)}


def table() -> str:
    """The document's table: the site's packages by licence, with the names of those with further conditions."""
    found = licences("requirements.lock")
    text = "| licence | packages of the site | which |\n|---|---|---|\n"
    for family in sorted(set(found.values())):
        names = sorted(package for package in found if found[package] == family)
        text += f"| {family} | {len(names)} | {'' if family in ASK_NOTHING else ', '.join(names)} |\n"
    return text


def _installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    DOCUMENT.write_text(TABLE.sub(lambda _: table(), DOCUMENT.read_text()))
