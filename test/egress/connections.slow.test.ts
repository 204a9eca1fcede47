import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { aLocalEgress, aMessage, aRawReceiver, outgoingSockets } from './an-egress.ts';
import { aReceiver, type RawReceiver } from '../support/receiver.ts';
import { patience } from '../support/patience.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Answers the first request of a connection, and treats the following ones as the test says. */
const aFickleReceiver = async (
  onLater: (socket: Socket, receiver: RawReceiver) => void,
  isFickle: (connection: number) => boolean = (connection) => connection === 1,
) => {
  const requests: string[] = [];
  const receiver: RawReceiver = await aRawReceiver((socket) => {
    const connection = receiver.connections();
    let served = 0;
    socket.on('data', () => {
      served += 1;
      requests.push(`${served} on ${connection}`);
      if (served > 1 && isFickle(connection)) onLater(socket, receiver);
      else socket.write(ok);
    });
  });
  return { receiver, requests };
};

describe('a connection', () => {
  it('serves one message after the other', async () => {
    const receiver = await aReceiver();
    const egress = await aLocalEgress();
    for (let count = 0; count < 5; count += 1) {
      expect(await egress.post(aMessage(receiver.url))).toMatchObject({ code: 200 });
    }
    expect(receiver.connections()).toBe(1);
    expect(receiver.received).toHaveLength(5);
  });

  it('survives an answer of a few kilobytes, and one whose end is not read', async () => {
    const body = 'x'.repeat(40_000);
    const receiver = await aReceiver({ answer: () => ({ status: 200, body }) });
    const egress = await aLocalEgress();
    await egress.post(aMessage(receiver.url));
    await vi.waitFor(async () => {
      const before = receiver.connections();
      await egress.post(aMessage(receiver.url));
      expect(receiver.connections()).toBe(before);
    }, patience);
  });

  it('is not kept if the receiver does not want it', async () => {
    const receiver = await aReceiver({ answer: () => ({ status: 200, headers: { Connection: 'close' } }) });
    const egress = await aLocalEgress();
    for (let count = 0; count < 3; count += 1) {
      expect(await egress.post(aMessage(receiver.url))).toMatchObject({ code: 200, error: null });
    }
    expect(receiver.connections()).toBe(3);
  });

  it('is never waited for: a hanging one delays no other message', async () => {
    const receiver = await aReceiver({ answer: ({ path }) => (path === '/hang' ? 'hang' : { status: 200 }) });
    const egress = await aLocalEgress({ timeout: 20_000 });
    const hanging = Array.from({ length: 20 }, () => egress.post(aMessage(`${receiver.url}/hang`)));
    await receiver.untilReceived(20);
    const result = await egress.post(aMessage(`${receiver.url}/go`));
    expect(result).toMatchObject({ code: 200, error: null });
    expect(result.ms).toBeLessThan(10_000);
    await egress.close();
    for (const { error } of await Promise.all(hanging))
      expect(error).toBe('The service was stopped during the attempt.');
  });
});

describe('a kept connection that was lost', () => {
  const deaths: Record<string, (socket: Socket, receiver: RawReceiver) => void> = {
    'is reset': (socket, receiver) => receiver.reset(socket),
    'is closed': (socket) => void socket.end(),
    'is torn down': (socket) => void socket.destroy(),
  };

  it.each(Object.entries(deaths))(
    'and %s: the message is sent over a new one, in the same attempt',
    async (_what, death) => {
      const { receiver, requests } = await aFickleReceiver(death);
      const egress = await aLocalEgress();
      expect(await egress.post(aMessage(receiver.url))).toMatchObject({ code: 200, error: null });
      expect(await egress.post(aMessage(receiver.url))).toMatchObject({
        code: 200,
        excerpt: 'ok',
        error: null,
        fault: null,
      });
      expect(requests).toEqual(['1 on 1', '2 on 1', '1 on 2']);
      expect(await egress.post(aMessage(receiver.url))).toMatchObject({ code: 200, error: null });
    },
  );

  it('is retried only once, and not if the receiver had begun to answer', async () => {
    const cut = 'The server closed the connection before the response was complete.';
    const begun = await aFickleReceiver((socket, receiver) => {
      socket.write('HTTP/1.1 2', () => setImmediate(() => receiver.reset(socket)));
    });
    const egress = await aLocalEgress();
    await egress.post(aMessage(begun.receiver.url));
    expect(await egress.post(aMessage(begun.receiver.url))).toMatchObject({ code: null, error: cut });
    expect(begun.requests).toEqual(['1 on 1', '2 on 1']);

    let alive = true;
    const dead = await aRawReceiver((socket) => {
      socket.on('data', () => {
        if (alive) socket.write(ok);
        else dead.reset(socket);
      });
    });
    await egress.post(aMessage(dead.url));
    alive = false;
    expect(await egress.post(aMessage(dead.url))).toMatchObject({ code: null, error: cut });
    expect(dead.connections()).toBe(2);
    // A request on a fresh connection is not repeated.
    expect(await egress.post(aMessage(dead.url))).toMatchObject({ code: null, error: cut });
    expect(dead.connections()).toBe(3);
  });

  it('takes no more time than an attempt has', async () => {
    const hanging: RawReceiver = await aRawReceiver((socket) => {
      const connection = hanging.connections();
      let served = 0;
      socket.on('data', () => {
        served += 1;
        if (connection === 1 && served === 1) socket.write(ok);
        if (connection === 1 && served === 2) setTimeout(() => hanging.reset(socket), 500);
      });
    });
    const egress = await aLocalEgress({ timeout: 3_000 });
    expect(await egress.post(aMessage(hanging.url))).toMatchObject({ code: 200 });
    const result = await egress.post(aMessage(hanging.url));
    expect(result).toMatchObject({ code: null, error: 'The server did not respond within 3 seconds.' });
    expect(result.ms).toBeGreaterThanOrEqual(2_990);
    expect(result.ms).toBeLessThan(10_000);
    expect(hanging.connections()).toBe(2);
  });

  it('before anything was sent is simply opened again', async () => {
    const first = await aReceiver();
    const egress = await aLocalEgress();
    expect(await egress.post(aMessage(first.url))).toMatchObject({ code: 200 });
    await first.close();
    const second = await aReceiver({ port: first.port });
    expect(await egress.post(aMessage(second.url))).toMatchObject({ code: 200, error: null });
    expect(second.received).toHaveLength(1);
  });
});

describe('a closed egress', () => {
  it('ends all waiting, leaves no connection, and sends nothing more', async () => {
    const receiver = await aReceiver({ answer: ({ path }) => (path === '/hang' ? 'hang' : { status: 200 }) });
    const stalled = await aRawReceiver((socket) => void socket.resume(), { tls: false });
    const egress = await aLocalEgress({ timeout: 60_000 });
    const sockets = outgoingSockets();
    await egress.post(aMessage(receiver.url));
    const waiting = [egress.post(aMessage(`${receiver.url}/hang`)), egress.post(aMessage(stalled.url))];
    await receiver.untilReceived(2);
    await expect.poll(() => stalled.connections()).toBe(1);

    await egress.close();
    for (const result of await Promise.all(waiting)) {
      expect(result).toMatchObject({
        code: null,
        error: 'The service was stopped during the attempt.',
        fault: 'service',
      });
    }
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
    expect(await egress.post(aMessage(receiver.url))).toMatchObject({
      code: null,
      error: 'The service was stopped during the attempt.',
      fault: 'service',
    });
    expect(receiver.received).toHaveLength(2);
  });
});
