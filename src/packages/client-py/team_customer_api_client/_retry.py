"""How long to wait before a request is sent again: the rules of the client for TypeScript."""

from __future__ import annotations

import random
import re
import threading
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Optional

LONGEST_WAIT = 120.0
"""The maximum wait for a `Retry-After`. A longer one, of a daily limit for instance, is an error at once."""

_SHORTEST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0


def time_of(date: Optional[str]) -> Optional[float]:
    try:
        return parsedate_to_datetime(date or "").timestamp()
    except (TypeError, ValueError, OverflowError):  # which one depends on the version of Python
        return None


def retry_after(headers: Message) -> Optional[float]:
    """`Retry-After` in seconds: a number, or a date, which is compared with the clock of the answer."""
    value = str(headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    if not value.endswith("GMT"):
        return None
    until, answered = time_of(value), time_of(headers.get("Date"))
    if until is None:
        return None
    return max(0.0, until - (time.time() if answered is None else answered))


def pause_before(attempt: int, asked: Optional[float]) -> float:
    """
    The wait before the next attempt. If the service requires a time, this is that time plus a random part, so that
    clients that were refused together don't return together. Otherwise it is a pause that doubles from half a second to
    eight.
    """
    if asked is not None:
        return asked + random.random() * min(1.0, 0.1 + asked / 10)
    pause = min(_LONGEST_PAUSE, _SHORTEST_PAUSE * 2.0 ** (attempt - 2))
    return pause / 2 + random.random() * pause / 2


def sleep(seconds: float, stop: Optional[threading.Event] = None) -> None:
    """Waits until the time is over or the event is set."""
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)
