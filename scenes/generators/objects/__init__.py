"""The tests of permanence, solidity, continuity and unchangeableness."""
