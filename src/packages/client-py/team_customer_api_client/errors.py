"""The errors that the client raises."""

from __future__ import annotations

from email.message import Message
from typing import Any, List, Literal, Mapping, Optional

from .types import InvalidValue


class ApiError(Exception):
    """
    An answer other than 2xx. Compare `code`: it never changes. An answer that is not the API's, a proxy's page for
    instance, has the code `unexpected_answer`.
    """

    def __init__(
        self,
        problem: Mapping[str, Any],
        status: int,
        headers: Message,
        attempts: int,
        replayed: bool,
        excerpt: Optional[str] = None,
    ) -> None:
        # With all arguments, so that the error can be pickled.
        super().__init__(problem, status, headers, attempts, replayed, excerpt)
        self.problem = problem
        """All members of the problem, also those that came after this version of the client."""
        self.code: str = problem.get("code", "unexpected_answer")
        self.status = status
        """The status of the HTTP answer."""
        self.title: str = problem.get("title", f"HTTP {status}")
        """A title for people, in German or English."""
        self.detail: Optional[str] = problem.get("detail")
        """A diagnostic in English, which some problems have."""
        self.request_id: Optional[str] = problem.get("request_id") or headers.get("X-Request-Id")
        """The id of the request. Include it when you contact support."""
        self.headers = headers
        self.replayed = replayed
        """Whether this is the stored answer of an earlier POST with the same idempotency key."""
        self.attempts = attempts
        """The number of attempts."""
        self.errors: Optional[List[InvalidValue]] = problem.get("errors")
        """Of `validation_error`: every invalid value, if the request could not be read."""
        self.field: Optional[str] = problem.get("field")
        """Of `validation_error`: the field whose value a rule refused."""
        self.dimension: Optional[str] = problem.get("dimension")
        """Of `kombination_ungueltig`."""
        self.required_scope: Optional[str] = problem.get("required_scope")
        """Of `insufficient_scope`."""
        self.retry_after: Optional[int] = problem.get("retry_after")
        """Of `rate_limited`: seconds."""
        self.excerpt = excerpt
        """Of `unexpected_answer`: the first 1000 characters of the body."""

    def __str__(self) -> str:
        request_id = self.problem.get("request_id")
        request = f", request {request_id}" if request_id else ""
        return f"{self.code}: {self.detail or self.title} ({self.status}{request})"


class ApiConnectionError(Exception):
    """There was no complete answer, even at the last attempt. The request may have had its effect."""

    def __init__(self, reason: Literal["network", "timeout"], message: str, attempts: int) -> None:
        super().__init__(reason, message, attempts)
        self.reason: Literal["network", "timeout"] = reason
        """`timeout`: no whole answer in time; `network`: everything else, see `__cause__`."""
        self.message = message
        self.attempts = attempts

    def __str__(self) -> str:
        return self.message
