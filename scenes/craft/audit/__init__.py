"""Answers CRAFT's questions again, from their words and the recorded events; knows nothing of programs or templates."""

from scenes.craft.audit.folder import audit_folder

__all__ = ["audit_folder"]
