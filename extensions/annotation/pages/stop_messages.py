"""Messages of annotation studies to people who can't go on."""

from django.utils.translation import gettext_lazy as _

from humantrials.participation.stop_messages import Stop

BETWEEN_STAGES = Stop(
    _("Nothing to do at the moment"),
    _(
        "Thank you for coming. This study goes on in steps, and the next one opens when others are done with theirs."
        " Please try again later at the same address."
    ),
)
LET_GO = Stop(
    _("Your part is over"),
    _(
        "Thank you for your work. Twice a line told you what to tick, but something else was ticked, so your part"
        " ends here. Your work so far is paid: please keep your code."
    ),
)
