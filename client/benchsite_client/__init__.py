"""Reads a benchsite's boards, items and clips, answers its questions with a model, and sends the answers."""

from benchsite_client.answering import Work
from benchsite_client.site import ClientError, Item, Report, Rows, Site

__all__ = ["ClientError", "Item", "Report", "Rows", "Site", "Work"]
