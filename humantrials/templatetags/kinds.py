from django.template import Library

from humantrials.kinds import DeskTab, kind_of
from humantrials.models import Trial

register = Library()


@register.filter
def tabs(trial: Trial) -> tuple[DeskTab, ...]:
    """The pages of the desk about this study."""
    return kind_of(trial).tabs
