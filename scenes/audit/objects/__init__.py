"""Audits of the tests of permanence, solidity, continuity and unchangeableness."""
