"""Reads a benchsite's boards, items and clips, answers its questions with a model, and sends the answers."""

from benchsite_client.answering import Finding, Work
from benchsite_client.site import ClientError, Item, Report, Site

__all__ = ["ClientError", "Finding", "Item", "Report", "Site", "Work"]
