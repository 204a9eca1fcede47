from __future__ import annotations

import threading
from dataclasses import dataclass
from email.message import Message
from typing import Callable, Generic, Optional, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class RateLimit:
    """The budget with the fewest requests left."""

    limit: int
    remaining: int
    reset_seconds: int


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer of the API with its headers and other metadata."""

    data: T
    status: int
    headers: Message
    request_id: Optional[str]
    """The id of the request. Include it when you contact support."""
    rate_limit: Optional[RateLimit]
    """The budget with the fewest requests left."""
    replayed: bool
    """Whether this is the stored answer of an earlier POST with the same idempotency key."""
    attempts: int
    """The number of attempts."""
    text: str
    """The body as received."""


OnAnswer = Optional[Callable[[Answer[T]], None]]
"""Called with each answer, before the call returns its data."""


@dataclass(frozen=True)
class Options(Generic[T]):
    """The options of a single call."""

    language: Optional[str] = None
    timeout: Optional[float] = None
    retries: Optional[int] = None
    on_answer: OnAnswer[T] = None
    idempotency_key: Optional[str] = None
    stop: Optional[threading.Event] = None
