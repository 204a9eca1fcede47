import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exampleFile, examples } from '../../src/server/developers/facts.ts';
import { exportCases } from './cases/export.ts';
import { requestCases } from './cases/requests.ts';
import { streamCases } from './cases/stream.ts';
import { webhookCases } from './cases/webhooks.ts';
import { pythonPackage, startPython } from './python.ts';
import { answer, errorOf, pythonKit } from './scripted.ts';

// The client for Python, in the system's python3, with the cases of the client for TypeScript. Without a python3 these tests fail.
// TEST_PYTHON is the path of another version.

const python = await startPython({ onAClock: true, program: process.env['TEST_PYTHON'] ?? 'python3' });
const kit = pythonKit(python);
afterAll(() => python.close());

const folder = join(pythonPackage, 'team_customer_api_client');
const modules = readdirSync(folder).filter((name) => name.endsWith('.py'));

describe('requests', () => {
  requestCases(kit);
});

describe('the event stream', () => {
  streamCases(kit);
});

describe('exports', () => {
  exportCases(kit);
});

describe('webhooks', () => {
  webhookCases(kit);
});

it('gives a request of a stream its wait and the time limit of a call', async () => {
  const events = answer(200, { data: [{}], next_cursor: 'c', has_more: false, has_gap: false });
  const limits = [];
  for (const [query, options] of [
    [{ wait: 5 }, { timeoutMs: 1_000 }],
    [{ wait: 5 }, {}],
    [{}, {}],
  ] as const) {
    const clock = await kit.onAClock([events], { timeoutMs: 2_000 });
    await clock.api.events.stream(query, options).pages().next();
    const [asked] = clock.asked;
    limits.push([new URL(asked?.path ?? '').searchParams.get('wait'), asked?.headers['x-timeout-ms']]);
  }
  expect(limits).toEqual([
    ['5', '6000'],
    ['5', '7000'],
    ['20', '22000'],
  ]);
});

it('gives up an answer that comes in small pieces, when the time of the attempt is over', async () => {
  const program = `
import io
from email.message import Message
from team_customer_api_client import ApiConnectionError, Client, _send
class Time:
    now = 0
    def monotonic(self):
        return self.now
clock, before = Time(), _send.time
class Slow(io.BytesIO):
    status, headers = 200, Message()
    def read1(self, size):
        clock.now += 4
        return b" "
class Opener:
    def open(self, request, timeout):
        return Slow()
_send.time = clock
try:
    Client("svck_live_k", opener=Opener(), timeout=30, retries=0).me()
except ApiConnectionError as error:
    print(error.reason, clock.now)
finally:
    _send.time = before`;
  expect(await python.run(program)).toBe('timeout 32\n');
});

it('refuses a time without a zone, and writes days and flags as the API has them', async () => {
  const program = `
import datetime
from team_customer_api_client import _send
print(_send._query_of({"a": ["1", "2"], "b": None, "c": False, "d": 0, "e": datetime.date(2026, 11, 30)}))
try:
    _send._query_of({"since": datetime.datetime(2026, 11, 30)})
except ValueError as error:
    print(error)`;
  const [query, refusal] = (await python.run(program)).split('\n');
  expect(query).toBe('?a=1&a=2&c=false&d=0&e=2026-11-30');
  expect(refusal).toContain('needs a time zone');
});

it('keeps every digit of large numbers', async () => {
  const program = `
import json
from team_customer_api_client import _send
print(_send._json_of(json.loads('{"n": 12345678901234567890, "text": "ü"}')).decode())`;
  expect(await python.run(program)).toBe('{"n":12345678901234567890,"text":"ü"}\n');
});

it('has errors that another process can read', async () => {
  const program = `
import pickle
from email.message import Message
from team_customer_api_client import ApiConnectionError, ApiError, WebhookError
error = ApiError({"code": "conflict", "request_id": "r"}, 409, Message(), 2, False)
for one in (error, ApiConnectionError("timeout", "late", 4), WebhookError("wrong_secret", "No.")):
    copy = pickle.loads(pickle.dumps(one))
    print(type(copy).__name__, copy, copy.__dict__.keys() == one.__dict__.keys())`;
  expect(await python.run(program)).toBe(
    'ApiError conflict: HTTP 409 (409, request r) True\nApiConnectionError late True\nWebhookError No. True\n',
  );
});

it('is in the syntax of Python 3.9, as are its guide and the programs of the documentation, and imports only the standard library', async () => {
  const programs = [...examples].filter((name) => name.endsWith('.py'));
  const guide = readFileSync(join(pythonPackage, 'README.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(blocks.length).toBeGreaterThan(5);
  const sources = [
    ...blocks,
    ...modules.map((name) => readFileSync(join(folder, name), 'utf8')),
    ...programs.map((name) => exampleFile(name)),
  ];
  const program = `
import ast, importlib.util, sysconfig
imported = set()
for text in given:
    for node in ast.walk(ast.parse(text, feature_version=(3, 9))):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imported.add(node.module)
own = {"team_customer_api_client", "verify_webhook"}
names = {name.split(".")[0] for name in imported} - own
standard = sysconfig.get_path("stdlib")
origins = {name: importlib.util.find_spec(name).origin for name in names}
print(sorted(name for name, origin in origins.items() if not (origin in ("built-in", "frozen") or origin.startswith(standard))))`;
  expect(await python.run(program, sources)).toBe('[]\n');
});

it('has types that can be resolved, and is marked as typed', async () => {
  const program = `
import inspect, typing
import team_customer_api_client as package
from team_customer_api_client import _resources, types
count = 0
for module in (types, _resources):
    for name, value in vars(module).items():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            typing.get_type_hints(value)
            for method in vars(value).values():
                if inspect.isfunction(method):
                    typing.get_type_hints(method)
                    count += 1
print(count > 40)`;
  expect(await python.run(program)).toBe('True\n');
  expect(readdirSync(folder)).toContain('py.typed');
});

it('refuses what a key that is not there would cause', async () => {
  expect(await errorOf(kit.createClient(Object({ key: null })).me())).toMatchObject({
    message: expect.stringContaining('must be an API key'),
  });
});

it('has caused no warning until here: of unclosed connections, or of what later versions of Python won’t have', async () => {
  expect(await python.close()).toBe('');
});
