"""The preregistration: design, sample, exclusions and analysis of a trial, frozen when it is first opened."""

import hashlib
import json
from typing import Any

from django.conf import settings
from django.utils.translation import override

from humantrials.judging.attention_checks import attention_count
from humantrials.judging.exclusion_rules import registered_rules
from humantrials.models import Preregistration, TextPart, Trial, TrialState
from humantrials.planning.authored_texts import consent_of, quiz_in, text_of, versions_of
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.scales import scale_of
from humantrials.protocols.settings import as_typed, setting

NOT_FOR_READERS = ("qualified",)  # hashes of panel ids


def preregistration_of(trial: Trial) -> dict[str, Any] | None:
    """The frozen content; for a draft, what would be frozen; None if the trial was opened before this was stored."""
    stored = Preregistration.objects.filter(trial=trial).first()
    if stored:
        return {**stored.content, "frozen_at": stored.frozen_at.isoformat(), "sha256": stored.digest}
    return {**content_of(trial), "frozen_at": None, "sha256": None} if trial.state == TrialState.DRAFT else None


def freeze(*, trial: Trial) -> None:
    """Store the preregistration as it is now; a second opening changes nothing."""
    content = content_of(trial)
    Preregistration.objects.get_or_create(trial=trial, defaults={"content": content, "digest": digest_of(content)})


def digest_of(content: dict[str, Any]) -> str:
    """SHA-256 of the content as JSON with sorted keys and without spaces."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def content_of(trial: Trial) -> dict[str, Any]:
    """The preregistration of the trial as it is now, as plain JSON values in English."""
    protocol = find_protocol(trial.protocol)
    with override("en"):
        return {
            "aims": aims.body if (aims := text_of(trial, TextPart.AIMS, "en")) else "",
            "texts": versions_of(trial),
            "trial": {"name": trial.slug, "title": trial.title, "protocol": protocol.name},
            "design": _design(trial, protocol),
            "sample": _sample(trial, protocol),
            "exclusions": [
                {"name": rule.name, "leaves_out": f"people who {rule.says}"} for rule in registered_rules(trial)
            ],
            "analysis": _analysis(protocol),
        }


def _design(trial: Trial, protocol: Protocol) -> dict[str, Any]:
    quiz = quiz_in(trial, settings.LANGUAGE_CODE)
    return {
        "benchmark": trial.pack.benchmark,
        "pack": trial.pack.name,
        "pack_manifest": trial.pack.manifest_hash,
        "seed": trial.seed,
        "source_of_draws": trial.source_of_draws,
        "design_hash": trial.design_hash,
        "settings": {name: value for name, value in trial.settings.items() if name not in NOT_FOR_READERS},
        "conditions": list(protocol.design.conditions or (protocol.design.condition,)),
        "order": protocol.design.order,
        "each_participant_gets": protocol.design.each_gets,
        "promises": [invariant.about for invariant in protocol.design.invariants],
        "answers": [str(option.label) for option in protocol.player.options],
        "practice": trial.has_practice,
        "quiz_questions": len(quiz.questions),
        "quiz_attempts": quiz.attempts if quiz.questions else None,
        "attention_items": attention_count(trial),
        "consent_version": consent_of(trial, settings.LANGUAGE_CODE).consent.version,
        **_follow_up_questions(trial),
    }


def _follow_up_questions(trial: Trial) -> dict[str, str]:
    """The questions right after an answer, if there are any."""
    scale, share = scale_of(trial.settings), trial.settings.get("why")
    questions = {"confidence_after_each_answer": scale.words} if scale else {}
    return questions | ({"reason_after": f"{100 * share:g} % of the items of each sheet, drawn"} if share else {})


def _sample(trial: Trial, protocol: Protocol) -> dict[str, Any]:
    points = trial.settings.get("precision")
    return {
        "participants": trial.sheets.count(),
        "items": trial.slots.values("item").distinct().count(),
        "answers_wanted_an_item": setting(trial.settings, "replicates", protocol),
        "answers": trial.slots.count(),
        "stops": "when every sheet is finished"
        + (f", or earlier once half the 95 % interval is at most {points:g} points" if points else ""),
        "precision_points": points,
        **_second_round(trial),
    }


def _second_round(trial: Trial) -> dict[str, str]:
    sheets = trial.settings.get("second_round")
    if not sheets:
        return {}
    return {
        "second_round": f"{sheets} further sheets, drawn once the first round is complete: every item one further"
        " answer at least, and more by how far its answers differ (Neyman allocation within each half of a test)",
        "second_round_weights": "each round a share of an item's weight that was fixed before any answer, so that"
        " the share of right answers is unbiased; majorities are of the first round only",
    }


def _analysis(protocol: Protocol) -> dict[str, Any]:
    if protocol.analysis.by_moment:
        return {
            "outcome": "the share of impossible clips whose moment is hit within 0.5 s of the stretch from the"
            " violation to the moment at which a viewer can know; false alarms on possible clips; the mean lag from"
            " that moment",
            "interval": "95 %, people and items both as samples",
        }
    if not protocol.analysis.has_right_answers:
        return {"outcome": "ratings, compared with those of language models, dimension by dimension"}
    is_mean = protocol.analysis.row == "mean"
    return {
        "outcome": "the share of right answers" if is_mean else "the share of items whose majority is right; ties half",
        "interval": "95 %, people and items both as samples (multiway variance, effective number, Wilson)",
        "abstentions": f"“{protocol.analysis.abstain}” is left out" if protocol.analysis.abstain else "none offered",
        "models": "; ".join(
            f"{outcome} ~ {right}, {link_of(outcome)} (lme4: binomial; bambi: bernoulli)"
            for outcome, right in formulas_of(protocol).items()
        ),
    }


def formulas_of(protocol: Protocol) -> dict[str, str]:
    """Outcome -> its model's right-hand side, which lme4 and bambi both read; `says_yes` only for yes/no answers."""
    condition = "condition" if len(protocol.design.conditions) > 1 else "1"
    found = {"correct": f"{condition} + (1 | participant) + (1 | item)"}
    if {option.value for option in protocol.player.options} == {"yes", "no"}:
        found["says_yes"] = "is_yes + (is_yes | participant) + (1 | item)"
    return found


def link_of(outcome: str) -> str:
    """Probit for `says_yes`: the slope of `is_yes` is d′ then (DeCarlo 1998, Psychological Methods 3)."""
    return "probit" if outcome == "says_yes" else "logit"


def as_json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def as_markdown(content: dict[str, Any]) -> str:
    """The preregistration as a document: a section a part, a line a fact."""
    content = json.loads(as_json(content))  # by name, since a database may keep the facts in another order
    frozen = f"Frozen when the study was first opened, {content['frozen_at']}; SHA-256 `{content['sha256']}`."
    trial, design = content["trial"], dict(content["design"])
    settings, invariants = design.pop("settings"), design.pop("promises")
    parts = [
        f"# Preregistration: {trial['title']}",
        frozen if content["sha256"] else "A draft: it can still change, and is frozen when the study is first opened.",
        f"Study `{trial['name']}`, protocol `{trial['protocol']}`.",
        *(["## Aims and hypotheses", content["aims"]] if content.get("aims") else []),
        "## Design",
        _lines(design, *((f"setting {name}", value) for name, value in settings.items())),
        "Design checks: " + "; ".join(invariants) + ".",
        *_texts(content.get("texts", {})),
        "## Sample",
        _lines(content["sample"]),
        "## Exclusions",
        _lines({rule["name"]: rule["leaves_out"] for rule in content["exclusions"]}) or "Nobody is left out.",
        "## Analysis",
        _lines(content["analysis"]),
    ]
    return "\n\n".join(parts) + "\n"


def _texts(texts: dict[str, dict[str, Any]]) -> list[str]:
    if not texts:
        return []
    known = {name: f"version {one['version']}, SHA-256 `{one['sha256'][:16]}…`" for name, one in texts.items()}
    return ["## Texts and questions", _lines(known)]


def _lines(facts: dict[str, Any], *more: tuple[str, Any]) -> str:
    known = [(name, value) for name, value in (*facts.items(), *more) if value is not None]
    return "\n".join(f"- {name.replace('_', ' ')}: {_plain(value)}" for name, value in known)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(as_typed([word]) for word in value) if isinstance(value, list) else str(value)
