from __future__ import annotations

import http.client
import json
import time
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Generic, Iterator, Mapping, Optional, TypeVar

from . import _retry
from ._events import OnRetry, passes
from .errors import ApiConnectionError, ApiError

T = TypeVar("T")

_OVERLAP = timedelta(minutes=5)
"""The time in which a row may appear later than its `updated_at` says."""


def _broken_off() -> ApiConnectionError:
    return ApiConnectionError("network", "The export broke off.", 1)


def _lines_of(response: Any) -> Iterator[bytes]:
    """The lines of an answer that are complete."""
    begun = b""
    while True:
        try:
            part = response.read1(65_536)
        except (OSError, http.client.HTTPException) as cause:
            raise _broken_off() from cause
        if not part:
            return
        *lines, begun = (begun + part).split(b"\n")
        yield from lines


def _start_of(response: Any) -> datetime:
    """When an answer began, by the clock of the service."""
    date = _retry.time_of(response.headers.get("Date"))
    return datetime.fromtimestamp(time.time() if date is None else date, timezone.utc)


class Export(Generic[T]):
    """
    All rows of a list. `for row in rows` gives each row; after the last one, `cursor` is where the next export
    continues. If the connection breaks, the loop continues with the missing rows. A row may then come again, with the
    same `id`.
    """

    def __init__(
        self, open: Callable[[Mapping[str, Any]], Any], query: Mapping[str, Any], retries: int, on_retry: OnRetry
    ) -> None:
        self._open = open
        self._query = query
        self._retries = retries
        self._on_retry = on_retry
        self._cursor: Optional[str] = None

    @property
    def cursor(self) -> Optional[str]:
        """Pass it to the next export, which then has the rows that changed since. `None` until all rows were read."""
        return self._cursor

    def __iter__(self) -> Iterator[T]:
        query = self._query
        failures = 0
        while True:
            last: Optional[str] = None
            started = datetime.now(timezone.utc)
            try:
                with closing(self._open(query)) as response:
                    started = _start_of(response)
                    for text in _lines_of(response):
                        line: Any = json.loads(text)
                        if "id" not in line:
                            self._cursor = line["cursor"]
                            return
                        failures = 0
                        last = line["updated_at"]
                        yield line
                raise _broken_off()
            except (ApiError, ApiConnectionError) as error:
                failures += 1
                asked = _retry.retry_after(error.headers) if isinstance(error, ApiError) else None
                if not passes(error) or failures > self._retries or (asked or 0) > _retry.LONGEST_WAIT:
                    raise
                # A row that was committed late may have an earlier `updated_at` than the last one.
                if last is not None:
                    updated = datetime.fromisoformat(last.replace("Z", "+00:00"))
                    query = {**query, "updated_since": min(updated, started - _OVERLAP)}
                pause = _retry.pause_before(failures + 1, asked)
                if self._on_retry is not None:
                    self._on_retry(error, pause)
            _retry.sleep(pause)
