import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenCommand } from '../../src/packages/client/cli/listen.ts';
import { renewCommand } from '../../src/packages/client/cli/renew.ts';
import { verifyCommand } from '../../src/packages/client/cli/verify.ts';
import { verifyWebhook } from '../../src/packages/client/webhooks.ts';
import { compile } from '../../scripts/client/build.ts';
import { exampleBodyOf } from '../../src/modules/events/payloads.ts';
import { headersOf, makeSecret } from '../../src/deliveries/message.ts';
import { patience } from '../support/patience.ts';
import { aCombination } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { listen } from '../support/ports.ts';
import { throwAwayFolder } from '../support/throw-away-postgres.ts';

const folder = throwAwayFolder();
await compile(folder, {
  format: 'es',
  entries: { cli: 'src/packages/client/cli/main.ts' },
  origin: 'http://localhost:3000',
});
await writeFile(join(folder, 'package.json'), '{ "type": "module" }');

const start = (args: readonly string[], environment: Record<string, string> = {}): ChildProcessWithoutNullStreams => {
  const child = spawn(process.execPath, ['cli.js', ...args], { cwd: folder, env: environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

/** A command that ends by itself. */
const outcome = async (args: readonly string[], { environment = {}, input = '' } = {}) => {
  const child = start(args, environment);
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: Number(code) };
};

/** The command `listen`, which keeps running, with its output so far. */
const startListening = (args: readonly string[], environment: Record<string, string> = {}) => {
  const child = start(['listen', ...args], environment);
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (written.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (written.err += part));
  const end = async () => {
    child.kill('SIGINT');
    const [code]: unknown[] = await once(child, 'close');
    return code;
  };
  return { written, end };
};

/** `listen` as a receiver of webhooks. */
const listening = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const { written, end } = startListening(['--port', '0', ...args], environment);
  const url = await vi.waitFor(() => {
    const [, found] = /^Listening on (\S+)$/m.exec(written.err) ?? [];
    return found ?? expect.unreachable(written.err);
  }, patience);
  return { url, written, end };
};

const secret = makeSecret();
const body = exampleBodyOf('evaluation.completed');
const eventId: string = JSON.parse(body).id;
const headers = () => headersOf({ secret, eventId, body, at: new Date() });
const post = async (url: string, options: { body?: string; headers?: Record<string, string> } = {}) => {
  const answer = await fetch(url, { method: 'POST', body, headers: headers(), ...options });
  return { status: answer.status, body: await answer.text() };
};

/** A customer's program with this answer. */
const program = async (status: number, answer: string) => {
  const received: { body: string; headers: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ body, headers: request.headers });
      response.writeHead(status).end(answer);
    });
  });
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${await listen(server)}/hook` };
};

describe('the commands', () => {
  it('explain themselves with --help', async () => {
    const { out, code } = await outcome(['--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/listen .*\n\s+verify .*\n\s+renew/)]);
    for (const command of ['listen', 'verify', 'renew']) {
      const { out, code } = await outcome([command, '--help']);
      expect([code, out]).toEqual([0, expect.stringContaining(`Usage: npx team-customer-api-client ${command}`)]);
    }
    const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'));
    expect((await outcome(['--version'])).out).toBe(`${version}\n`);
  });

  it('are refused with the reason, and exit code 2', async () => {
    for (const [args, reason] of [
      [['hear'], 'There is no command hear'],
      [['verify', '--secret', 's'], '--request-file or --body-file is needed'],
    ] as const) {
      const { err, code } = await outcome(args);
      expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
    }
  });

  it.each([
    [listenCommand, ['--colour'], "Unknown option '--colour'"],
    [listenCommand, ['--port', '99999'], '--port is a whole number'],
    [listenCommand, ['--forward', 'localhost'], '--forward is a URL'],
    [listenCommand, ['--tls-cert', 'x'], 'belong together'],
    [listenCommand, ['--poll'], '--poll needs a key'],
    [listenCommand, ['--poll', 'k', '--from', 'yesterday'], '--from is oldest or now'],
    [renewCommand, ['--endpoint', 'e'], '--key is needed'],
    [renewCommand, ['--key', 'k'], '--endpoint is needed'],
    [renewCommand, ['--key', 'k', '--endpoint', 'e', '--header', 'x'], 'a name, a colon and a value'],
    [renewCommand, ['--key', 'k', '--endpoint', 'e', '--base-url', 'x'], '--base-url is a URL'],
    [verifyCommand, [], '--secret is needed'],
    [verifyCommand, ['--secret', 's', '--body-file', 'none'], 'no such file'],
    [verifyCommand, ['--secret', 's', '--body-file', 'package.json', '--header', 'x'], 'a name, a colon and a value'],
  ])('refuse useless combinations of options: %#', async (command, args, reason) => {
    await expect(command.run(args)).rejects.toThrow(reason);
  });
});

describe('listen', () => {
  it('verifies, prints and answers 204; refuses others with 400; ends cleanly', async () => {
    const { url, written, end } = await listening([], { WEBHOOK_SECRET: `${makeSecret()}, ${secret}` });
    expect(await post(url)).toEqual({ status: 204, body: '' });
    expect(await post(url, { headers: {} })).toEqual({ status: 400, body: '' });
    expect((await fetch(url)).status).toBe(405);
    await vi.waitFor(() => {
      expect(written.out).toMatch(/^\d\d:\d\d:\d\d {2}evaluation\.completed {2}evt_\w+ {2}\S+\n {10}signature valid\n/);
      expect(written.out).toMatch(/\n {10}score +72\n {10}answered 204\n/);
      expect(written.out).toMatch(/refused: missing_header\n.*\n {10}answered 400\n/);
    }, patience);
    expect(await end()).toBe(0);
  });

  it('continues after an aborted request', async () => {
    const { url } = await listening(['--secret', secret]);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    socket.destroy();
    expect((await post(url)).status).toBe(204);
    expect((await post(url, { body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413);
    expect((await post(url)).status).toBe(204);
  });

  it('forwards bytes and headers unchanged, and returns the answer', async () => {
    const { received, url: hook } = await program(503, 'not now');
    const { url, written } = await listening(['--secret', secret, '--forward', hook, '--json']);
    const sent = headers();
    expect(await post(url, { headers: sent })).toEqual({ status: 503, body: 'not now' });
    expect(received).toEqual([{ body, headers: expect.objectContaining({ 'svc-signature': sent['Svc-Signature'] }) }]);
    expect(await post(url, { headers: {} })).toMatchObject({ status: 400 });
    expect(received.length).toBe(1);
    await expect.poll(() => written.out.trim().split('\n').length).toBe(2);
    expect(
      written.out
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual([
      { at: expect.any(String), event: JSON.parse(body), isVerified: true, forwarded: { status: 503 }, answered: 503 },
      { at: expect.any(String), refused: { reason: 'missing_header', message: expect.any(String) }, answered: 400 },
    ]);
  });

  it('answers 502 if the program does not answer', async () => {
    const { url, written } = await listening(['--secret', secret, '--forward', 'http://127.0.0.1:1/']);
    expect(await post(url)).toEqual({ status: 502, body: '' });
    await expect.poll(() => written.out).toContain('not forwarded: ');
  });

  it('without a secret prints that nothing is checked, and prints no control character', async () => {
    const { url, written } = await listening([]);
    await expect.poll(() => written.err).toContain('signatures are not checked');
    const evil = body.replace('"evaluation.completed"', String.raw`"\u001b[2J"`);
    expect((await post(url, { body: evil, headers: {} })).status).toBe(204);
    await expect.poll(() => written.out).toContain('signature not checked');
    expect(written.out).not.toContain('\u001b');
  });
});

describe('verify', () => {
  const saved = () =>
    `POST /hook HTTP/1.1\r\n${Object.entries(headers())
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}\n`;

  it('accepts a saved request, from a file or the input', async () => {
    const { out, code } = await outcome(['verify', '--secret', secret, '--request-file', '-'], { input: saved() });
    expect([code, out]).toEqual([0, expect.stringContaining(`Valid: evaluation.completed ${eventId}`)]);
    await writeFile(join(folder, 'request.txt'), saved().replaceAll(/^(?=.*: )/gm, '> '));
    expect(
      (await outcome(['verify', '--request-file', 'request.txt'], { environment: { WEBHOOK_SECRET: secret } })).code,
    ).toBe(0);
  });

  it('accepts a body with headers, and writes JSON', async () => {
    await writeFile(join(folder, 'body.json'), body);
    const given = Object.entries(headers()).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
    const { out } = await outcome(['verify', '--secret', secret, '--body-file', 'body.json', ...given, '--json']);
    expect(JSON.parse(out)).toEqual({ valid: true, event: JSON.parse(body) });
  });

  it('prints why it refuses', async () => {
    const other = await outcome(['verify', '--secret', makeSecret(), '--request-file', '-'], { input: saved() });
    expect([other.code, other.out]).toEqual([1, expect.stringMatching(/^Refused: wrong_secret\n/)]);
    const changed = { input: saved().replace('{"id"', '{ "id"') };
    const { out } = await outcome(['verify', '--secret', secret, '--request-file', '-', '--json'], changed);
    expect(JSON.parse(out)).toMatchObject({ valid: false, reason: 'body_changed' });
    const old = headersOf({ secret, eventId, body, at: new Date(Date.now() - 3_600_000) });
    const input = `Svc-Signature: ${old['Svc-Signature']}\n\n${body}`;
    const late = await outcome(['verify', '--secret', secret, '--request-file', '-'], { input });
    expect(late.out).toMatch(/^Refused: timestamp_too_old\n.*\nThe signature matches. With --tolerance/);
    const tolerant = ['verify', '--secret', secret, '--request-file', '-', '--tolerance', '4000'];
    expect((await outcome(tolerant, { input })).code).toBe(0);
  });
});

const service = await useTestService();

describe('listen --poll', () => {
  /** A team, and a function that raises an event in it. */
  const aRaisingTeam = async () => {
    const team = await aTeam(service, { members: 1 });
    const wanted = { member_id: team.members[0]?.id, title: 'Practise', ...(await aCombination(service)) };
    return { key: (await team.aKey()).text, raise: () => team.client.post('/assignments', wanted) };
  };

  it('prints events as they happen, ends cleanly and continues at its last cursor', async () => {
    const { key, raise } = await aRaisingTeam();
    await raise();
    const environment = { API_KEY: key, API_BASE_URL: service.baseUrl };
    const { written, end } = startListening(
      ['--poll', '--from', 'oldest', '--type', 'assignment.created'],
      environment,
    );
    await expect.poll(() => written.out.match(/assignment\.created {2}evt_/g)).toHaveLength(1);
    await raise();
    await expect.poll(() => written.out.match(/assignment\.created {2}evt_/g)).toHaveLength(2);
    expect(await end()).toBe(0);
    const [, cursor = expect.unreachable(written.err)] = /Go on with --cursor (\S+)/.exec(written.err) ?? [];

    await raise();
    const again = startListening(
      ['--poll', key, '--cursor', cursor, '--type', 'assignment.created', '--json'],
      environment,
    );
    await expect.poll(() => again.written.out).toContain('\n');
    // The last event is printed again if its page was not finished.
    const ids = again.written.out
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line).event.id);
    expect(written.out).not.toContain(String(ids.at(-1)));
    expect(await again.end()).toBe(0);
  });

  it('forwards events signed like webhooks, and continues after a lost connection', async () => {
    const { key, raise } = await aRaisingTeam();
    const { received, url: hook } = await program(204, '');
    let isDown = true;
    const proxy = createServer((request, response) => {
      if (isDown) request.socket.destroy();
      else {
        // The program is stopped while it waits for events: then nobody waits for this answer.
        const gone = new AbortController();
        response.once('close', () => gone.abort());
        fetch(`${service.origin}${request.url}`, {
          headers: { Authorization: `Bearer ${key}` },
          signal: gone.signal,
        }).then(
          async (answer) =>
            response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text()),
          () => response.destroy(),
        );
      }
    });
    onTestFinished(() => void proxy.close());
    const baseUrl = `http://127.0.0.1:${await listen(proxy)}`;
    await raise();
    const { written, end } = startListening(
      ['--poll', key, '--base-url', baseUrl, '--from', 'oldest', '--forward', hook],
      {
        WEBHOOK_SECRET: secret,
      },
    );
    await expect.poll(() => written.err).toMatch(/can't be reached: .* Trying again in \d+ s/);
    isDown = false;
    await expect.poll(() => received.length).toBeGreaterThan(0);
    for (const { body, headers } of received) {
      const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      for (const form of [/^svc-/, /^webhook-/]) {
        const one = Object.fromEntries(Object.entries(given).filter(([name]) => form.test(name)));
        expect(await verifyWebhook({ body, headers: one, secret })).toEqual(JSON.parse(body));
      }
    }
    expect(await end()).toBe(0);
  });

  it('reports a wrong key, and ends', async () => {
    const environment = { API_KEY: 'svck_live_nobody', API_BASE_URL: service.origin };
    const { err, code } = await outcome(['listen', '--poll'], { environment });
    expect([code, err]).toEqual([1, expect.stringContaining('unauthorized: ')]);
  });
});
