import json
import os
import urllib.request


def call(url, token, method="GET", body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def sandbox(path, **body):
    url = os.environ["SANDBOX_CONTROL_URL"] + path
    return call(url, os.environ["SANDBOX_CONTROL_TOKEN"], "POST", body)


def api(path):
    return call(os.environ["SANDBOX_BASE_URL"] + path, os.environ["SANDBOX_API_KEY"])


def test_a_removed_member_is_gone():
    sandbox("/reset")
    removed = sandbox("/trigger", event="member.removed")["made"]["member_id"]
    assert removed not in [member["id"] for member in api("/users")["data"]]


def test_time_passes():
    before = sandbox("/clock")["ahead_seconds"]
    assert sandbox("/clock", move="+3d")["ahead_seconds"] - before == 3 * 86400
