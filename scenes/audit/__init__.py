"""Reads the true answer and all faults from a trajectory file, without the generators and the physics engine."""

from scenes.audit.auditing import audit_trajectory, problems
from scenes.audit.folder import audit_folder
from scenes.audit.verdict import Finding, Verdict

__all__ = ["Finding", "Verdict", "audit_folder", "audit_trajectory", "problems"]
