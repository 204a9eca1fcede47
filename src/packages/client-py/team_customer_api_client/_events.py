from __future__ import annotations

import threading
from time import monotonic
from typing import Callable, Iterator, List, Optional, TypedDict, Union

from . import _retry
from .errors import ApiConnectionError, ApiError
from .webhooks import WebhookEvent

OnRetry = Optional[Callable[[Union[ApiError, ApiConnectionError], float], None]]

USUAL_WAIT = 20
"""How long a request waits for an event, in seconds."""

_SHORTEST_ROUND = 1.0
"""The minimum time between two requests without events: a service that is stopping answers at once."""


class FeedPage(TypedDict):
    """A page of the feed of events. Its cursor is never null: a feed has no end."""

    data: List[WebhookEvent]
    next_cursor: str
    has_more: bool
    has_gap: bool
    """Events after the cursor were deleted because of their age."""


def passes(error: Union[ApiError, ApiConnectionError]) -> bool:
    """Whether a failure is temporary; any other one ends the stream. The call has already been retried."""
    return isinstance(error, ApiConnectionError) or error.status == 429 or error.status >= 500


class EventStream:
    """
    The feed of events, followed until `stop` is set. `for event in stream` gives each event; `pages()` gives them page
    by page, with the cursor to store. If a stream is read again, it continues after the last position.
    """

    def __init__(
        self,
        read: Callable[[Optional[str]], FeedPage],
        cursor: Optional[str],
        stop: Optional[threading.Event],
        on_retry: OnRetry,
    ) -> None:
        self._read = read
        self._cursor = cursor
        self._stop = stop
        self._on_retry = on_retry

    @property
    def cursor(self) -> Optional[str]:
        """
        The cursor to continue from: the end of the last page whose events the loop has taken completely. Pass it to the
        next stream. Later events are sent again, so that none is lost: they have the same `id`.
        """
        return self._cursor

    def _is_stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def pages(self) -> Iterator[FeedPage]:
        failures = 0
        while not self._is_stopped():
            started = monotonic()
            try:
                page = self._read(self._cursor)
            except (ApiError, ApiConnectionError) as error:
                if self._is_stopped():
                    return
                if not passes(error):
                    raise
                failures += 1
                asked = _retry.retry_after(error.headers) if isinstance(error, ApiError) else None
                pause = max(_SHORTEST_ROUND, _retry.pause_before(failures + 1, asked))
                if self._on_retry is not None:
                    self._on_retry(error, pause)
                _retry.sleep(pause, self._stop)
                continue
            if self._is_stopped():
                return
            failures = 0
            if page["data"] or page["has_gap"]:
                yield page
            self._cursor = page["next_cursor"]
            rest = started + _SHORTEST_ROUND - monotonic()
            if not page["data"] and not page["has_more"] and rest > 0:
                _retry.sleep(rest, self._stop)

    def __iter__(self) -> Iterator[WebhookEvent]:
        for page in self.pages():
            yield from page["data"]
