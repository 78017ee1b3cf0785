"""Prolific's API: draft a study, set its places, read submissions, approve, screen out and pay bonuses.

Written from the published reference (docs.prolific.com, API v1): `Authorization: Token …`, rewards in cents, bonuses in
units of the currency. Nothing here publishes a study or rejects anybody.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx

SECONDS = 30.0
PAGE = 100
MOST_BONUSES = 200  # participants of one bulk payment
WAITING = "AWAITING REVIEW"


class ProlificRefused(ValueError):
    """Prolific refused a request, or could not be reached; one sentence."""


@dataclass(frozen=True)
class Submission:
    """One participation as Prolific lists it."""

    id: str
    participant: str
    status: str


class Prolific:
    """A workspace at Prolific, by its API token."""

    def __init__(self, token: str, base: str, transport: httpx.BaseTransport | None = None) -> None:
        headers = {"Authorization": f"Token {token}"}
        self.client = httpx.Client(base_url=base, headers=headers, timeout=SECONDS, transport=transport)

    def create_draft(self, draft: Mapping[str, Any]) -> str:
        """Create an unpublished study from its fields in the API; returns its id. A person publishes it at Prolific."""
        return str(self._ask("POST", "/api/v1/studies/", draft)["id"])

    def set_places(self, study: str, places: int) -> None:
        self._ask("PATCH", f"/api/v1/studies/{study}/", {"total_available_places": places})

    def submissions(self, study: str) -> Iterator[Submission]:
        """Yield every submission of the study, page by page."""
        for page in range(1, 1000):
            found = self._ask("GET", f"/api/v1/submissions/?study={study}&page={page}&page_size={PAGE}")["results"]
            yield from (Submission(one["id"], one["participant_id"], one["status"]) for one in found)
            if len(found) < PAGE:
                return

    def approve(self, submissions: Iterable[str]) -> None:
        """Approve and thereby pay these submissions; approving twice pays once."""
        self._ask("POST", "/api/v1/submissions/bulk-approve/", {"submission_ids": list(submissions)})

    def screen_out(self, submission: str, code: str) -> None:
        """Complete the submission with the study's code for people who were screened out, which pays its fixed sum."""
        self._ask(
            "POST", f"/api/v1/submissions/{submission}/transition/", {"action": "COMPLETE", "completion_code": code}
        )

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> str:
        """Set up bonuses by participant, without paying them; returns the id to pay them by."""
        if len(amounts) > MOST_BONUSES:
            raise ProlificRefused(f"{len(amounts)} bonuses: at most {MOST_BONUSES} can be paid at once")
        lines = "\n".join(f"{participant},{amount:.2f}" for participant, amount in amounts.items())
        body = {"study_id": study, "csv_bonuses": lines}
        return str(self._ask("POST", "/api/v1/submissions/bonus-payments/", body)["id"])

    def pay_bonuses(self, bonuses: str) -> None:
        """Pay what was set up. Prolific pays again on every call, so this is never repeated."""
        self._ask("POST", f"/api/v1/bulk-bonus-payments/{bonuses}/pay/", {})

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            answer = self.client.request(method, path, json=body)
            found = answer.json() if answer.content else {}
        except (httpx.HTTPError, ValueError) as error:
            raise ProlificRefused(f"Prolific did not answer {method} {path.partition('?')[0]}: {error}") from None
        if answer.is_error:
            message = found.get("error", found) if isinstance(found, dict) else found
            raise ProlificRefused(
                f"Prolific refused {method} {path.partition('?')[0]} ({answer.status_code}): {message}"
            )
        return found if isinstance(found, dict) else {}
