"""A client of the Team Customer API. It needs nothing but Python's standard library."""

from __future__ import annotations

import urllib.request
from typing import Optional

from ._address import VERSION as __version__
from ._answer import Answer, RateLimit
from ._entries import Entries
from ._events import EventStream, FeedPage
from ._export import Export
from ._resources import Api
from ._send import Sender
from .errors import ApiConnectionError, ApiError
from .webhooks import WebhookError, WebhookEvent, verify_webhook

__all__ = [
    "Answer",
    "ApiConnectionError",
    "ApiError",
    "Client",
    "Entries",
    "EventStream",
    "Export",
    "FeedPage",
    "RateLimit",
    "WebhookError",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]


class Client(Api):
    """
    A client with a key of a team. It may be used by several threads at once.

    - key: A key of the team, `svck_live_…`.
    - base_url: The URL of the service: its origin, `https://training.example.com`, or the whole address up to `/v1`.
    - language: The language of the `title` of errors and of the catalog. Without it, the service answers in German.
    - timeout: How many seconds an attempt waits for the service; one whose answer comes in small pieces ends after
      twice this time at the latest.
    - retries: The maximum number of retries.
    - opener: Makes the requests; by default one of `urllib.request` with the proxies of the environment.
    """

    def __init__(
        self,
        key: str,
        *,
        base_url: Optional[str] = None,
        language: Optional[str] = None,
        timeout: float = 30,
        retries: int = 3,
        opener: Optional[urllib.request.OpenerDirector] = None,
    ) -> None:
        super().__init__(Sender(key, base_url, language, timeout, retries, opener))
