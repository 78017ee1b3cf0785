"""Answers CRAFT's questions independently, from their words and the recorded events, without programs or templates."""

from scenes.craft.audit.folder import audit_folder

__all__ = ["audit_folder"]
