"""
Runs the client for Python for tests that are written in TypeScript (python.ts): a command a line on stdin, an answer a
line on stdout. With --on-a-clock pauses take no time, and the random part of a pause is as long as possible.
"""

import base64
import functools
import inspect
import io
import itertools
import json
import random
import sys
import threading
import traceback
import urllib.request
from datetime import datetime, timezone

from team_customer_api_client import ApiConnectionError, ApiError, Client, WebhookError, verify_webhook
from team_customer_api_client import _events, _retry, _send

writing = threading.Lock()
things = {}  # clients, lists, streams, iterators and events, by the numbers that they have in python.ts


class Clock:
    now = 0.0

    def sleep(self, seconds, stop=None):
        self.now += seconds


clock = Clock()
if "--on-a-clock" in sys.argv:
    _retry.sleep = clock.sleep
    _events.monotonic = lambda: clock.now
    random.random = lambda: 1.0


class Marking(urllib.request.BaseHandler):
    """Tells the server the time of the clock and the time limit, and lets it say how long its answer has taken."""

    def __init__(self):
        self.begin = clock.now

    def http_request(self, request):
        request.add_header("X-Clock-Ms", str(round((clock.now - self.begin) * 1000)))
        request.add_header("X-Timeout-Ms", str(round(request.timeout * 1000)))
        return request

    def http_response(self, request, response):
        clock.now += float(response.headers.get("X-Took-Ms") or 0) / 1000
        return response


def write(message):
    with writing:
        print(json.dumps(message), flush=True)


def decoded(value):
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ms" in value:
        return datetime.fromtimestamp(value["$ms"] / 1000, timezone.utc)
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"])
    if "$event" in value:
        return things.setdefault(value["$event"], threading.Event())
    if "$callback" in value:
        return lambda error, wait: write({"callback": value["$callback"], "error": described(error), "wait": wait})
    return {name: decoded(one) for name, one in value.items()}


def described(error):
    """What python.ts needs to make the error of the client for TypeScript."""
    fields = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, ApiError):
        known = ["code", "title", "detail", "request_id", "status", "replayed", "attempts", "excerpt"]
        members = ["errors", "field", "dimension", "required_scope", "retry_after"]
        fields.update({name: getattr(error, name) for name in known + members})
        fields.update(problem=error.problem, headers=error.headers.items())
    elif isinstance(error, ApiConnectionError):
        fields.update(reason=error.reason, attempts=error.attempts, cause=str(error.__cause__))
    elif isinstance(error, WebhookError):
        fields.update(reason=error.reason)
    elif not isinstance(error, (TypeError, ValueError)):
        fields["message"] = traceback.format_exc()
    return fields


def answer_of(answers, data):
    """The metadata of a call's answer, and the data that the call returned."""
    answer = answers[-1]
    assert answer.data is data
    limit = answer.rate_limit
    return {
        "data": data,
        "status": answer.status,
        "headers": answer.headers.items(),
        "request_id": answer.request_id,
        "rate_limit": limit and [limit.limit, limit.remaining, limit.reset_seconds],
        "replayed": answer.replayed,
        "attempts": answer.attempts,
        "text": answer.text,
    }


def call(client, method, args, answers):
    """Calls a method with arguments in the order of TypeScript: ids, body, query, options."""
    target = client
    for name in method.split("."):
        target = getattr(target, name)
    parameters = inspect.signature(target).parameters.values()
    count = sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    named = {}
    for given in args[count:]:
        named.update(given or {})
    if any(parameter.name == "on_answer" for parameter in parameters):
        named["on_answer"] = answers.append
    return target(*args[:count], **named)


def open_client(options, proxy=None):
    opener = None
    if proxy is not None:
        proxies = urllib.request.ProxyHandler({"http": proxy})
        opener = urllib.request.build_opener(_send._NoRedirects, proxies, Marking())
    return Client(**options, opener=opener)


def run(command):
    do = command["do"]
    if do == "client":
        things[command["as"]] = open_client(decoded(command["options"]), command.get("proxy"))
    elif do == "call":
        answers = []
        data = call(things[command["client"]], command["method"], decoded(command["args"]), answers)
        return {"data": data} if isinstance(data, list) else answer_of(answers, data)
    elif do == "open":
        answers = []
        things[command["as"]] = call(things[command["client"]], command["method"], decoded(command["args"]), answers)
        things[command["as"], "answers"] = answers
    elif do == "first":
        data = things[command["list"]].first_page()
        return answer_of(things[command["list"], "answers"], data)
    elif do == "all":
        return things[command["list"]].all(command.get("max"))
    elif do == "iterate":
        source = things[command["list"]]
        things[command["as"]] = source.pages() if command["pages"] else iter(source)
    elif do == "next":
        found = list(itertools.islice(things[command["iterator"]], 1))
        return {"found": found, "cursor": getattr(things[command["list"]], "cursor", None)}
    elif do == "close":
        things[command["iterator"]].close()
    elif do == "verify":
        return verify_webhook(**decoded(command["request"]))
    elif do == "retry_after":
        headers = _send.Message()
        for name, value in command["headers"].items():
            headers[name] = value
        return _retry.retry_after(headers)
    elif do == "pause_before":
        before, random.random = random.random, lambda: command["random"]
        try:
            return _retry.pause_before(command["attempt"], command.get("asked"))
        finally:
            random.random = before
    elif do == "run":
        printed = io.StringIO()
        exec(command["program"], {"print": functools.partial(print, file=printed), "given": command.get("given")})
        return printed.getvalue()
    else:
        raise KeyError(do)


def answer(command):
    try:
        write({"id": command["id"], "value": run(command)})
    except Exception as error:
        write({"id": command["id"], "error": described(error)})


for line in sys.stdin:
    command = json.loads(line)
    if command["do"] == "stop":  # at once: a test may wait for the answer of a later command
        things.setdefault(command["event"], threading.Event()).set()
    else:
        threading.Thread(target=answer, args=[command]).start()
