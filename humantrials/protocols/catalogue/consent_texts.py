"""The consent text of studies without videos: only answers and their times are recorded."""

from django.utils.translation import gettext_lazy as _

from humantrials.protocols.catalogue.grasp_plausibility import CONSENT as ABOUT_VIDEOS
from humantrials.protocols.protocol import Consent, Text


def consent_without_videos(*, invitation: Text, risk: Text, version: str = "2") -> Consent:
    """Build the consent; `risk` says that taking part is voluntary and what the risk is."""
    stored = _(
        "We store your answers and how long they took. We don't ask for your name and set no cookies. If you"
        " come from a panel, its id for you is kept apart from your answers and never published."
    )
    beside, published = ABOUT_VIDEOS.paragraphs[3:]
    return Consent(version=version, paragraphs=(invitation, risk, stored, beside, published), agree=ABOUT_VIDEOS.agree)
