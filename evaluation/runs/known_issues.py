"""Known issues of the prompts of older runs."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from evaluation.adapters.start_tokens import was_doubled
from evaluation.inputs.frames import WITHOUT_FRAMES
from evaluation.models import ModelResponse, Run, RunKind
from evaluation.prompting.strategies import STRATEGIES
from evaluation.referees.scoring_runs import stage_of

# The words by which older cards describe what servers and saved models were shown: a single picture had a time or was a
# video.
TIMES, VIDEO_PARTS, VIDEOS = " images with their times", "video part of jpeg frames", "video"


def issue_of(run: Run, reply: ModelResponse | None = None) -> str:
    """The known issue of the run's prompts as text; '' for none. Passing one of its replies saves a query."""
    return "; ".join(_issues(run, reply)) if run.kind != RunKind.UPLOADED else ""


def _issues(run: Run, reply: ModelResponse | None) -> Iterator[str]:
    if _began_twice(run):
        yield _("asked with a doubled start token; ask again")
    if run.kind == RunKind.RUN and (stage := stage_of(run)) and _began_twice(stage):
        yield _("its referee was asked with a doubled start token; have it scored again")
    strategy = STRATEGIES.get(run.strategy)
    if strategy is None or run.condition in WITHOUT_FRAMES:
        return
    if run.model.kind in ("openai", "transformers") and strategy.names_clips and _had_names_below(run, reply):
        yield (
            _("asked with each letter below its picture; ask again")
            if strategy.shows_stills
            else _("asked with each object's name below its clip; ask again")
        )
    if not strategy.shows_stills:
        return
    display = str(run.card.get("model", {}).get("shown", ""))
    if display.endswith(TIMES):
        yield _("asked with times between the pictures; ask again")
    if display == VIDEO_PARTS or (display == VIDEOS and run.model.kind == "transformers"):
        yield _("asked with each picture as a video; ask again")


def _began_twice(run: Run) -> bool:
    """Whether prompts began with two start tokens, if the model's folder or file still shows it."""
    model_card = run.card.get("model", {})
    is_older = "family" in model_card and "tokenizer" not in model_card
    return run.model.kind == "transformers" and is_older and was_doubled(run.model.options.get("path", ""))


def _had_names_below(run: Run, reply: ModelResponse | None) -> bool:
    """Whether one turn held both a name and its clip, with the text after the frames."""
    reply = reply or ModelResponse.objects.filter(cell__run=run).order_by("pk").first()
    return any(turn.get("frames") and turn.get("text") for turn in reply.turns) if reply else False
