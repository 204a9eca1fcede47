"""Verification of webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from .types import KnownEvent


class UnknownEvent(TypedDict):
    """An event of a type that was added after this version of the client. Ignore it, or check `data` before use."""

    id: str
    # Any text. With `str`, a comparison of `type` would narrow no event.
    type: Literal["a type that this version of the client does not know"]
    created_at: str
    api_version: str
    tenant_id: str
    data: Dict[str, Any]


WebhookEvent = Union[KnownEvent, UnknownEvent]
"""An event. Comparing `type` narrows it: with `evaluation.completed`, `data` has a `training_id`."""

WebhookErrorReason = Literal[
    "missing_header",
    "malformed_header",
    "timestamp_too_old",
    "timestamp_in_future",
    "wrong_secret",
    "body_changed",
    "malformed_secret",
]
"""Why a request is refused: the README of the package says what each means."""


class WebhookError(Exception):
    """A request that must be refused. `reason` and the message are for your log; answer the sender with 400 only."""

    def __init__(self, reason: WebhookErrorReason, message: str) -> None:
        super().__init__(reason, message)
        self.reason: WebhookErrorReason = reason
        self.message = message

    def __str__(self) -> str:
        return self.message


Form = Literal["standard", "contract"]
_Keys = Dict[Form, List[bytes]]

_CONTRACT_HEADER = "Svc-Signature"

# The maximum number of signatures to check: the service sends one, but anybody may send many.
_MAX_SIGNATURES = 10

# The service sends at most 16 KiB, and a changed body may be larger. For a body above this size the cause is not
# searched.
_LARGEST_BODY = 65_536


@dataclass(frozen=True)
class _Signed:
    """A form of the signature: the text that is signed before the body, and its time."""

    form: Form
    prefix: str
    time: int
    signatures: List[bytes]


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, Any],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[datetime] = None,
) -> WebhookEvent:
    """
    Returns the event of a webhook if the service signed it with one of these secrets a moment ago. Raises a
    `WebhookError` otherwise. One signature must match: `webhook-signature` (Standard Webhooks), or else
    `Svc-Signature`.

    - body: The body exactly as received, before it is parsed.
    - headers: All headers of the request, as your framework provides them.
    - secret: The endpoint's secret, `whsec_…`, or those of both endpoints while you change to a new one.
    - tolerance: The maximum distance of the signature's time to your clock, in the past or in the future, in seconds.
    """
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogatepass")
    if not isinstance(body, (bytes, bytearray, memoryview)):
        message = "The body must be the raw text or bytes of the request, not what a parser made of it."
        raise WebhookError("body_changed", message)
    body = bytes(body)
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    # Anybody can sign with an empty key, so a missing setting must not accept everything.
    if not secrets or not all(secrets):
        raise WebhookError("malformed_secret", "The signing secret is missing.")
    signatures = _read_signatures(headers)

    signed_at = _time_of_match(body, signatures, _keys_of(secrets))
    if signed_at is None:
        raise _cause_of(body, signatures, secrets)
    age = math.floor(time.time() if now is None else now.timestamp()) - signed_at
    if age < -tolerance:
        raise WebhookError("timestamp_in_future", f"The signature is {-age} seconds from the future.")
    if not age <= tolerance:
        raise WebhookError("timestamp_too_old", f"The signature is {age} seconds old.")
    try:
        event: WebhookEvent = json.loads(body.decode())
    except ValueError:
        message = "The signature matches, but the body is not JSON. The service always sends JSON."
        raise WebhookError("body_changed", message) from None
    return event


def _header_of(headers: Mapping[str, Any], name: str) -> Optional[str]:
    for given, value in headers.items():
        if given.lower() == name.lower():
            if isinstance(value, (list, tuple)):
                return ",".join(value)
            return value if isinstance(value, str) else None
    return None


def _read_contract(header: str) -> Optional[_Signed]:
    """`t=<unix time>,v1=<hex>`, perhaps with unknown fields."""
    fields = header.split(",")
    times = [field[2:] for field in fields if field.startswith("t=")]
    found = [field[3:] for field in fields if re.fullmatch(r"v1=[0-9a-f]{64}", field)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]) or not found:
        return None
    signatures = [bytes.fromhex(one) for one in found[:_MAX_SIGNATURES]]
    return _Signed("contract", f"{times[0]}.", int(times[0]), signatures)


def _read_standard(webhook_id: str, timestamp: str, header: str) -> Optional[_Signed]:
    """`v1,<base64>`, several separated by spaces."""
    found = [one[3:] for one in header.split(" ") if re.fullmatch(r"v1,[A-Za-z0-9+/]{43}=", one)]
    if not webhook_id or not re.fullmatch(r"[0-9]{1,12}", timestamp) or not found:
        return None
    signatures = [base64.b64decode(one) for one in found[:_MAX_SIGNATURES]]
    return _Signed("standard", f"{webhook_id}.{timestamp}.", int(timestamp), signatures)


def _read_signatures(headers: Mapping[str, Any]) -> List[_Signed]:
    contract = _header_of(headers, _CONTRACT_HEADER)
    standard = _header_of(headers, "webhook-signature")
    if not contract and not standard:
        raise WebhookError("missing_header", f"There is neither {_CONTRACT_HEADER} nor webhook-signature.")
    wrong: List[str] = []
    signatures: List[_Signed] = []
    if standard:
        webhook_id, timestamp = _header_of(headers, "webhook-id"), _header_of(headers, "webhook-timestamp")
        read = _read_standard(webhook_id or "", timestamp or "", standard)
        if read is None:
            wrong.append("webhook-signature is not v1,<base64>, with webhook-id and a webhook-timestamp in Unix seconds.")
        else:
            signatures.append(read)
    if contract:
        read = _read_contract(contract)
        if read is None:
            wrong.append(f"{_CONTRACT_HEADER} is not t=<unix time>,v1=<hex>.")
        else:
            signatures.append(read)
    if not signatures:
        raise WebhookError("malformed_header", " ".join(wrong))
    return signatures


def _keys_of(secrets: Sequence[str]) -> _Keys:
    """
    The keys of a secret: for `Svc-Signature` the whole text, and for Standard Webhooks the bytes that it encodes, if it
    encodes any.
    """
    encoded = [one[6:] for one in secrets if re.fullmatch(r"whsec_([A-Za-z0-9+/]{4})+", one)]
    return {
        "contract": [one.encode("utf-8", "surrogatepass") for one in secrets],
        "standard": [base64.b64decode(one) for one in encoded],
    }


def _time_of_match(body: bytes, forms: Sequence[_Signed], keys: _Keys) -> Optional[int]:
    """The time of the first signature that matches; None if none does."""
    for signed in forms:
        for key in keys[signed.form]:
            text = signed.prefix.encode("utf-8", "surrogatepass") + body
            expected = hmac.new(key, text, hashlib.sha256).digest()
            for signature in signed.signatures:
                if hmac.compare_digest(expected, signature):
                    return signed.time
    return None


def _possible_originals(body: bytes) -> List[Tuple[str, bytes]]:
    """Candidates for the sent body, obtained by undoing the usual mistakes."""
    text = body.decode("utf-8", "replace")
    found = [("has white space before or after it", text.lstrip("\ufeff").strip().encode())]
    try:
        # Each byte of UTF-8 was decoded as one character.
        found.append(("was decoded as Latin-1 and encoded as UTF-8", text.encode("latin-1")))
    except ValueError:
        pass
    try:
        value = json.loads(text.strip())
        found.append(("was parsed and written as JSON again", _written(value)))
        # Some programs sort the fields alphabetically.
        fields = ("id", "type", "created_at", "api_version", "tenant_id", "data")
        ordered = {name: value[name] for name in fields if name in value}
        found.append(("was parsed and written as JSON again, in another order", _written(ordered)))
    except (TypeError, ValueError):
        pass  # Not JSON, or no event: `_cause_of` reports this.
    return found


def _written(value: Any) -> bytes:
    """JSON as the service writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body.decode("utf-8", "replace"))
    except ValueError:
        return False
    return True


def _repaired(secret: str) -> str:
    """The secret without the usual mistakes: spaces, quotes or a lost prefix."""
    bare = re.sub(r"^[\"'](.*)[\"']$", r"\1", secret.strip())
    return bare if bare.startswith("whsec_") else f"whsec_{bare}"


def _cause_of(body: bytes, signatures: Sequence[_Signed], secrets: Sequence[str]) -> WebhookError:
    """Tries to find out why no signature matches, by undoing the usual mistakes one after the other."""
    if not body:
        message = "The body is empty: something has already read it, for example a body parser."
        return WebhookError("body_changed", message)
    if len(body) <= _LARGEST_BODY:
        others = [_repaired(one) for one in secrets if _repaired(one) not in secrets]
        if others and _time_of_match(body, signatures, _keys_of(others)) is not None:
            message = "The secret has spaces or quotes around it, or lacks whsec_ at its beginning."
            return WebhookError("malformed_secret", message)
        keys = _keys_of(secrets)
        for what, original in _possible_originals(body):
            if _time_of_match(original, signatures, keys) is not None:
                message = f"The body {what}. Verify the raw body, before anything parses it."
                return WebhookError("body_changed", message)
        if not _is_json(body):
            message = "The body is not JSON, but the service always sends JSON. Verify the raw body."
            return WebhookError("body_changed", message)
    if any(_repaired(one) != one for one in secrets):
        message = "A secret has the form whsec_ and 43 or 44 letters and digits."
        return WebhookError("malformed_secret", message)
    message = (
        "No signature matches: this is the secret of another endpoint, the request is forged, or its body was changed."
    )
    return WebhookError("wrong_secret", message)
