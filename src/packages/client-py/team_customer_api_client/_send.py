from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, replace
from datetime import date, datetime, timezone
from email.message import Message
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from . import _retry
from ._address import ORIGIN, VERSION
from ._answer import Answer, Options, RateLimit
from ._entries import Entries
from ._events import USUAL_WAIT, EventStream, FeedPage, OnRetry
from ._export import Export
from .errors import ApiConnectionError, ApiError

T = TypeVar("T")

_BASE_PATH = "/api/public/v1"

# The maximum number of items in a request, and of bytes of their JSON: a body may have 256 KiB.
_ITEMS_AT_ONCE = 100
_BYTES_AT_ONCE = 250_000

# Statuses of temporary failures: the service or a proxy can't answer now, or a rate limit was reached.
_PASSING = (429, 502, 503, 504)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer that is not the API's: it could lead a request to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _address_of(base_url: Optional[str]) -> str:
    parts = urlsplit(ORIGIN if base_url is None else base_url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("`base_url` must be the URL of the service, https://training.example.com.")
    path = _BASE_PATH if parts.path in ("", "/") else parts.path[:-1] if parts.path.endswith("/") else parts.path
    return f"{parts.scheme}://{parts.netloc}{path}"


def segment(value: str) -> str:
    """An id as a part of a path."""
    # As parts of a path, these would lead to another route.
    if value in ("", ".", ".."):
        raise ValueError(f"{json.dumps(value)} is not an id.")
    return quote(value, safe="")


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("A time needs a time zone: datetime.now(timezone.utc), for instance.")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else str(value)


def _query_of(query: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, _text_of(one)) for one in values if one is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def _json_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _parts_of(items: Iterable[Any]) -> List[List[Any]]:
    parts: List[List[Any]] = []
    size = 0
    for item in items:
        added = len(_json_of(item)) + 1
        if parts and len(parts[-1]) < _ITEMS_AT_ONCE and size + added <= _BYTES_AT_ONCE:
            parts[-1].append(item)
            size += added
        else:
            parts.append([item])
            size = added
    return parts


def _problem_of(headers: Message, text: str) -> Optional[Dict[str, Any]]:
    if not str(headers.get("Content-Type") or "").startswith("application/problem+json"):
        return None
    try:
        problem = json.loads(text)
    except ValueError:
        return None
    return problem if isinstance(problem, dict) and isinstance(problem.get("code"), str) else None


def _number_of(headers: Message, name: str) -> int:
    return int(headers.get(name) or 0)


def _is_late(error: BaseException) -> bool:
    # urllib wraps an error that comes before the answer in another one, as its `reason`.
    return isinstance(getattr(error, "reason", error), socket.timeout)


@dataclass(frozen=True)
class _Attempt:
    """An answer, and which attempt got it."""

    status: int
    headers: Message
    text: str
    attempts: int
    response: Any
    """The response, still open if its body is not read yet."""


class Sender:
    """Sends requests, and repeats them if that is safe and can help."""

    def __init__(
        self,
        key: str,
        base_url: Optional[str],
        language: Optional[str],
        timeout: float,
        retries: int,
        opener: Optional[urllib.request.OpenerDirector],
    ) -> None:
        # A missing environment variable must not cause anonymous requests, and a line break from a file must not cause
        # an invalid header.
        if not isinstance(key, str) or not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("`key` must be an API key, svck_live_….")
        self._key = key
        self._address = _address_of(base_url)
        self._language = language
        self._timeout = timeout
        self._retries = retries
        self._opener = opener or urllib.request.build_opener(_NoRedirects)

    def call(
        self,
        method: str,
        path: str,
        options: Options[T],
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
    ) -> T:
        answer = self._send(method, path, options, body, query or {})
        if options.on_answer is not None:
            options.on_answer(answer)
        return answer.data

    def entries(
        self, path: str, options: Options[T], *, query: Optional[Mapping[str, Any]] = None
    ) -> Entries[Any, T]:
        def read(cursor: Optional[str]) -> T:
            # A cursor is valid only with the filters of its list, so the filters are sent with it.
            asked = {**(query or {}), **({} if cursor is None else {"cursor": cursor})}
            return self.call("GET", path, options, query=asked)

        return Entries(read)

    def many(self, path: str, items: Sequence[Any], options: Options[Any]) -> List[Any]:
        """
        Sends items in requests of the allowed size, one after the other. Each request has an idempotency key made
        from that of the first request.
        """
        key = options.idempotency_key or str(uuid.uuid4())
        results: List[Any] = []
        for at, part in enumerate(_parts_of(items)):
            own = Options[Any](
                options.language,
                options.timeout,
                options.retries,
                options.on_answer,
                key if at == 0 else f"{key}-{at}",
            )
            results += self.call("POST", path, own, body={"items": part})["results"]
        return results

    def stream(
        self,
        path: str,
        options: Options[FeedPage],
        *,
        query: Mapping[str, Any],
        stop: Optional[threading.Event],
        on_retry: OnRetry,
    ) -> EventStream:
        wait = USUAL_WAIT if query.get("wait") is None else query["wait"]
        timeout = wait + (self._timeout if options.timeout is None else options.timeout)
        own = Options[FeedPage](options.language, timeout, options.retries, options.on_answer, None, stop)

        def read(cursor: Optional[str]) -> FeedPage:
            return self.call("GET", path, own, query={**query, "wait": wait, "cursor": cursor})

        return EventStream(read, query.get("cursor"), stop, on_retry)

    def rows(
        self, path: str, options: Options[Any], *, query: Mapping[str, Any], on_retry: OnRetry
    ) -> Export[Any]:
        def open_with(asked: Mapping[str, Any]) -> Any:
            return self._request("GET", path, options, None, asked, streams=True).response

        return Export(open_with, query, self._retries if options.retries is None else options.retries, on_retry)

    def _send(
        self, method: str, path: str, options: Options[T], body: Any, query: Mapping[str, Any]
    ) -> Answer[T]:
        return self._answer(self._request(method, path, options, body, query))

    def _request(
        self,
        method: str,
        path: str,
        options: Options[Any],
        body: Any,
        query: Mapping[str, Any],
        *,
        streams: bool = False,
    ) -> _Attempt:
        """
        Every request here may be repeated: a POST has an idempotency key, a PATCH sets the same values again. If the
        answer to a DELETE was lost, the second attempt gets 404, which counts as success. `streams` says that the body of
        a success is not read yet.
        """
        retries = self._retries if options.retries is None else options.retries
        timeout = self._timeout if options.timeout is None else options.timeout
        language = self._language if options.language is None else options.language
        headers = {"Accept": "application/json", "User-Agent": f"team-customer-api-client-py/{VERSION}"}
        if language:
            headers["Accept-Language"] = language
        if method == "POST":
            headers["Idempotency-Key"] = options.idempotency_key or str(uuid.uuid4())
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else _json_of(body)
        url = self._address + path + _query_of(query)

        may_have_acted = False
        attempts = 0
        while True:
            attempts += 1
            asked: Optional[float] = None
            failure: Exception
            try:
                request = urllib.request.Request(url, data=data, headers=headers, method=method)
                attempt = self._attempt(request, timeout, attempts, streams)
            except ApiConnectionError as error:
                failure = error
                may_have_acted = True
            else:
                status = attempt.status
                if 200 <= status < 300:
                    return attempt
                failure = self._error(attempt)
                if method == "DELETE" and status == 404 and failure.code == "not_found" and may_have_acted:
                    return replace(attempt, text='{"ok":true}')
                asked = _retry.retry_after(attempt.headers)
                is_passing = status in _PASSING or (status == 409 and asked is not None)
                if not is_passing or (asked or 0) > _retry.LONGEST_WAIT:
                    raise failure
                if 502 <= status <= 504:
                    may_have_acted = True
            if attempts > retries:
                raise failure
            _retry.sleep(_retry.pause_before(attempts + 1, asked), options.stop)
            if options.stop is not None and options.stop.is_set():
                raise failure

    def _attempt(
        self, request: urllib.request.Request, timeout: float, attempts: int, streams: bool
    ) -> _Attempt:
        """One request with its whole answer, within the time limit."""
        # A redirect of an opener of your own must not take the key along.
        request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        deadline = time.monotonic() + timeout
        try:
            try:
                response = self._opener.open(request, timeout=timeout)
            except urllib.error.HTTPError as error:
                response = error
            if streams and 200 <= response.status < 300:
                return _Attempt(response.status, response.headers, "", attempts, response)
            with response:
                body = b""
                while True:
                    part = response.read1(65_536)
                    body += part
                    if not part:
                        break
                    if time.monotonic() > deadline:
                        raise socket.timeout("the answer is not complete")
                expected = response.headers.get("Content-Length")
                if expected is not None and expected.isdigit() and len(body) < int(expected):
                    raise http.client.IncompleteRead(body)
                text = body.decode("utf-8", "replace")
                return _Attempt(response.status, response.headers, text, attempts, response)
        except (OSError, http.client.HTTPException) as cause:
            parts = urlsplit(request.full_url)
            origin = f"{parts.scheme}://{parts.netloc}"
            if _is_late(cause):
                message = f"{origin} did not answer within {timeout:g} s."
                raise ApiConnectionError("timeout", message, attempts) from cause
            reason = getattr(cause, "reason", cause)
            raise ApiConnectionError("network", f"{origin} can't be reached: {reason}", attempts) from cause

    def _answer(self, attempt: _Attempt) -> Answer[T]:
        headers = attempt.headers
        try:
            data = json.loads(attempt.text)
        except ValueError:
            raise self._error(attempt) from None
        limit = headers.get("RateLimit-Limit")
        return Answer(
            data=data,
            status=attempt.status,
            headers=headers,
            request_id=headers.get("X-Request-Id"),
            rate_limit=None
            if limit is None
            else RateLimit(
                int(limit), _number_of(headers, "RateLimit-Remaining"), _number_of(headers, "RateLimit-Reset")
            ),
            replayed=headers.get("Idempotent-Replayed") == "true",
            attempts=attempt.attempts,
            text=attempt.text,
        )

    def _error(self, attempt: _Attempt) -> ApiError:
        headers, text = attempt.headers, attempt.text
        problem = _problem_of(headers, text)
        replayed = headers.get("Idempotent-Replayed") == "true"
        excerpt = text[:1_000] if problem is None else None
        return ApiError(problem or {}, attempt.status, headers, attempt.attempts, replayed, excerpt)
