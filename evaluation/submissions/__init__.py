"""Uploaded answers: read, linted by line, stored as a run of kind `uploaded`, listed by staff."""

from evaluation.submissions.linting import LintReport, lint
from evaluation.submissions.problems import Problem, SubmissionRefused
from evaluation.submissions.submitting import submit

__all__ = ["LintReport", "Problem", "SubmissionRefused", "lint", "submit"]
