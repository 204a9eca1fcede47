// Reads an attack from stdin, carries it out on loopback for a limited time, and prints how often each answer came.

import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { z } from 'zod';
import { Attack } from './attack.ts';
import type { AppReadAttack, PageAttack, SignInAttack, Tally } from './attack.ts';

const tally: Tally = {};
const count = (answer: string): void => void (tally[answer] = (tally[answer] ?? 0) + 1);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

const readPages = async ({ origin, path, keys, readers, slowReaders, seconds }: PageAttack): Promise<void> => {
  const ends = performance.now() + seconds * 1_000;
  const agent = new Agent({ connections: readers, headersTimeout: 60_000, bodyTimeout: 60_000 });
  let index = 0;
  const nextKey = () => keys[index++ % keys.length] ?? '';

  const reader = async (): Promise<void> => {
    while (performance.now() < ends) {
      try {
        const headers = { authorization: `Bearer ${nextKey()}`, 'accept-encoding': 'gzip, br' };
        const answer = await request(`${origin}${path}`, { headers, dispatcher: agent });
        for await (const _chunk of answer.body);
        count(`${answer.statusCode}`);
        if (answer.statusCode !== 200) await sleep(20);
      } catch (error) {
        count(codeOf(error));
        await sleep(100);
      }
    }
  };

  // Requests the page and reads one kilobyte of it per second; requests it again when the server cuts the connection.
  const slowReader = async (): Promise<void> => {
    while (performance.now() < ends) {
      const { hostname, port, host } = new URL(origin);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${nextKey()}\r\n\r\n`);
      while (performance.now() < ends && !socket.destroyed && socket.readyState !== 'closed') {
        await sleep(1_000);
        socket.read(1_000);
      }
      count('slow reader ended');
      socket.destroy();
    }
  };

  await Promise.all([...Array.from({ length: readers }, reader), ...Array.from({ length: slowReaders }, slowReader)]);
  await agent.destroy();
};

const signIn = async ({ origin, addresses, each }: SignInAttack): Promise<void> => {
  const from = async (address: number): Promise<void> => {
    const agent = new Agent({
      connections: each,
      localAddress: `127.0.1.${address + 1}`,
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
    });
    await Promise.all(
      Array.from({ length: each }, async (_, index) => {
        try {
          const answer = await request(`${origin}/trpc/entrance/entrance.signIn`, {
            method: 'POST',
            dispatcher: agent,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ email: `stranger-${address}-${index}@example.com`, password: 'not the password' }),
          });
          await answer.body.dump();
          count(`${answer.statusCode}`);
        } catch (error) {
          count(codeOf(error));
        }
      }),
    );
    await agent.destroy();
  };
  await Promise.all(Array.from({ length: addresses }, (_, address) => from(address)));
};

const readInTheApp = async ({ origin, team, path, people, loopsEach, seconds }: AppReadAttack): Promise<void> => {
  const readAs = async ({ email, password }: AppReadAttack['people'][number], index: number): Promise<void> => {
    const agent = new Agent({ connections: loopsEach, localAddress: `127.0.2.${index + 1}` });
    const signedIn = await request(`${origin}/trpc/entrance/entrance.signIn`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email, password }),
    });
    await signedIn.body.dump();
    const cookie = [signedIn.headers['set-cookie'] ?? []]
      .flat()
      .map((line) => line.split(';')[0])
      .join('; ');
    const ends = performance.now() + seconds * 1_000;
    const read = async (): Promise<void> => {
      while (performance.now() < ends) {
        const headers = { cookie, 'x-team': team };
        const answer = await request(`${origin}/trpc/${path}?input=%7B%7D`, { headers, dispatcher: agent });
        await answer.body.dump({ limit: 10_000_000 });
        count(`${answer.statusCode}`);
        if (answer.statusCode !== 200) await sleep(200);
      }
    };
    await Promise.all(Array.from({ length: loopsEach }, read));
    await agent.destroy();
  };
  await Promise.all(people.map(readAs));
};

const carryOut = (attack: z.output<typeof Attack>): Promise<void> => {
  if (attack.kind === 'pages') return readPages(attack);
  return attack.kind === 'sign-ins' ? signIn(attack) : readInTheApp(attack);
};

await carryOut(Attack.parse(await json(process.stdin)));
process.stdout.write(JSON.stringify(tally));
process.exit(0);
