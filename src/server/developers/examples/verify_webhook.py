import hashlib
import hmac
import re
import time


def is_genuine(body, header, secrets, now=None):
    fields = (header or "").split(",")
    times = [field[2:] for field in fields if field.startswith("t=")]
    signatures = [field[3:] for field in fields if re.fullmatch(r"v1=[0-9a-f]{64}", field)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]):
        return False
    fits = False
    for secret in filter(None, secrets):
        expected = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
        for signature in signatures:
            fits |= hmac.compare_digest(expected, signature)
    age = int(time.time() if now is None else now) - int(times[0])
    return fits and abs(age) <= 300
