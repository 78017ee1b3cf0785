"""A plain link with any id parameter: panels that only append their id, class lists, mailings."""

import re
from collections.abc import Mapping

from humantrials.panels.arrival import Arrival

# The first of these that is there names the person; upper and lower case are the same.
ID_PARAMETERS = ("prolific_pid", "participant", "participantid", "participant_id", "workerid", "worker_id", "pid", "id")
# Kept beside the id: they tell panels which visit this was. A new one never makes a new person.
VISIT_PARAMETERS = ("study_id", "session_id", "assignmentid", "assignment_id", "hitid", "survey_code", "source")
LONGEST = 200
NOT_TEXT = re.compile(r"[\x00-\x1f\x7f]")  # no id has control characters, and PostgreSQL stores no NUL


def read_arrival(parameters: Mapping[str, str]) -> Arrival:
    """Who the address says is coming."""
    given = {name.lower(): NOT_TEXT.sub("", str(value)).strip()[:LONGEST] for name, value in parameters.items()}
    external_id = next((given[name] for name in ID_PARAMETERS if given.get(name)), "")
    visit = {name: given[name] for name in VISIT_PARAMETERS if given.get(name)}
    return Arrival("generic", external_id, visit)
