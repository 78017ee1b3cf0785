"""Tags of the pages on which people rate."""

from typing import Any

from django import template
from django.template.context import Context

from extensions.generated.rating.pages import FIELD, RadioGroup

register = template.Library()


@register.inclusion_tag("generated/participant/radio_group.html", takes_context=True)
def radio_group(
    context: Context, group: RadioGroup, *, labelled_by: str = "", is_optional: bool = False
) -> dict[str, Any]:
    """The radio buttons of one question; on a form that came back with what was chosen, and what it lacks."""
    question, posted, problems = context["question"], context.get("posted") or {}, context.get("problems") or {}
    is_back = posted.get("position") == str(question.position)  # else the form is of the question before
    return {
        "group": group,
        "labelled_by": labelled_by,
        "is_optional": is_optional,
        "is_open": group.name in question.groups,
        "chosen": posted.get(FIELD + group.name, "") if is_back else "",
        "problem": problems.get(group.name, "") if is_back else "",
    }
