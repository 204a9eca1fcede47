import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { entrance, makePace, pauseMs } from '../../src/app/pace.ts';
import { openBrowser } from '../support/browser-session.ts';
import { aPerson, testPassword } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: { TRUST_PROXY: 'loopback' } });
});
afterAll(() => service.close());

const behind = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

describe('a flood of strangers from many networks', () => {
  it('does not delay signed-in people and known browsers', async () => {
    const { email } = await aPerson(await aTeam(service));
    const browser = openBrowser(service);
    const path = 'entrance/entrance.signIn';
    const signIn = () => browser.mutate(path, { email, password: testPassword }, behind('10.40.0.1'));
    expect((await signIn()).status).toBe(200);

    const who = () => browser.query('entrance/entrance.who', {}, behind('10.40.0.2'));
    const afterSignOut = async () => {
      expect((await browser.mutate('entrance/entrance.signOut', {}, behind('10.40.0.2'))).status).toBe(200);
      return who();
    };
    for (const ask of [who, afterSignOut]) {
      let answered = 0;
      const strangers = Array.from({ length: 800 }, async (_, index) => {
        const place = behind(`10.41.${Math.floor(index / 250)}.${index % 250}`);
        const { status } = await openBrowser(service).query('entrance/entrance.rules', {}, place);
        answered += 1;
        return status;
      });
      // The flood has started.
      await Promise.any(strangers);
      const before = answered;
      expect((await ask()).status).toBe(200);
      // In a common queue behind all strangers, it would have been the last.
      expect(answered - before).toBeLessThan(600);
      // If there is no time for a stranger, the request is refused; none waits forever.
      expect(new Set(await Promise.all(strangers)).difference(new Set([200, 429]))).toEqual(new Set());
    }
  });
});

const options = { atOnce: 8, reservedForStrangers: 2, mostStrangers: 8, refusedAtOnce: 8, patienceMs: 60_000 };

/** Adds tasks and returns the order in which they started and were refused. */
const run = async (
  callers: readonly { isKnown: boolean; group: string; isGone?: boolean }[],
  { patienceMs }: { patienceMs: number } = options,
) => {
  const pace = makePace({ ...options, patienceMs });
  const begun: number[] = [];
  const refused: number[] = [];
  callers.forEach(({ isGone = false, ...caller }, index) =>
    pace(caller, {
      begin: () => begun.push(index),
      refuse: () => refused.push(index),
      isGone: () => isGone,
    }),
  );
  const expected = callers.filter(({ isGone }, index) => !isGone || index < options.atOnce).length;
  await expect.poll(() => begun.length + refused.length, { interval: 5 }).toBe(expected);
  return { begun, refused };
};

describe('the pace of the entrance', () => {
  it('prefers known callers, however many networks the strangers come from', async () => {
    const strangers = Array.from({ length: 400 }, (_, index) => ({ isKnown: false, group: `network ${index}` }));
    const { begun } = await run([...strangers, { isKnown: true, group: 'person' }]);
    expect(begun.indexOf(strangers.length)).toBeLessThan(2 * options.atOnce);
  });

  it('reserves a share for strangers, and known callers take turns', async () => {
    const crowd = Array.from({ length: 400 }, () => ({ isKnown: true, group: 'busy person' }));
    const { begun } = await run([
      ...crowd,
      { isKnown: false, group: 'network' },
      { isKnown: true, group: 'other person' },
    ]);
    expect(begun.indexOf(crowd.length)).toBeLessThan(3 * options.atOnce);
    expect(begun.indexOf(crowd.length + 1)).toBeLessThan(3 * options.atOnce);
  });

  it('gives strangers no more than their share, even if nobody else waits', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pace = makePace({ ...options, mostStrangers: 2 });
    let begun = 0;
    const task = { begin: () => (begun += 1), refuse: () => {}, isGone: () => false };
    for (let index = 0; index < 100; index += 1) pace({ isKnown: false, group: `network ${index}` }, task);
    expect(begun).toBe(2);
    vi.advanceTimersByTime(100);
    expect(begun).toBe(22);
    pace({ isKnown: true, group: 'person' }, task);
    expect(begun).toBe(23);
  });

  it('refuses tasks that waited too long, and starts or refuses every other task once', async () => {
    const caller = fc.record({
      isKnown: fc.boolean(),
      group: fc.constantFrom('a', 'b', 'c'),
      isGone: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(caller, { maxLength: 120 }), fc.nat(40), async (callers, patienceMs) => {
        const { begun, refused } = await run(callers, { patienceMs });
        expect(new Set([...begun, ...refused]).size).toBe(begun.length + refused.length);
      }),
      { numRuns: 30 },
    );
    const { begun, refused } = await run(
      Array.from({ length: 400 }, () => ({ isKnown: false, group: 'network' })),
      { patienceMs: 0 },
    );
    expect(refused.length).toBeGreaterThan(100);
    expect(begun.length).toBeGreaterThan(100);
  });
});

describe('the pace in production', () => {
  it('starts 8 calls every 10 ms, at most 2 of them from strangers, as docs/decisions.md says', async () => {
    expect(entrance).toEqual({
      atOnce: 8,
      reservedForStrangers: 2,
      mostStrangers: 2,
      refusedAtOnce: 8,
      patienceMs: 1_500,
    });
    const { atOnce, mostStrangers, patienceMs } = entrance;
    const decisions = await readFile('docs/decisions.md', 'utf8');
    expect(decisions).toContain(
      `${atOnce} are started every ${pauseMs} ms, at most ${mostStrangers} of these from unknown callers`,
    );
    expect(decisions).toContain('unknown callers get a quarter of the rate');
    expect(mostStrangers / atOnce).toBe(1 / 4);
    expect(decisions).toContain(`After about ${patienceMs / 1_000} seconds of waiting the answer is 429`);
  });

  it('keeps these steps: calls beyond them start after the next pause', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pace = makePace(entrance);
    const begun = { known: 0, strangers: 0 };
    const add = (isKnown: boolean, count: number) => {
      for (let index = 0; index < count; index += 1) {
        const begin = () => void (begun[isKnown ? 'known' : 'strangers'] += 1);
        pace({ isKnown, group: `${isKnown ? 'person' : 'network'} ${index}` }, { begin, refuse, isGone: () => false });
      }
    };
    const refuse = () => {};
    add(false, 40);
    expect(begun).toEqual({ known: 0, strangers: 2 });
    add(true, 40);
    expect(begun).toEqual({ known: 6, strangers: 2 });
    vi.advanceTimersByTime(pauseMs - 1);
    expect(begun).toEqual({ known: 6, strangers: 2 });
    vi.advanceTimersByTime(1);
    expect(begun).toEqual({ known: 12, strangers: 4 });
    vi.advanceTimersByTime(3 * pauseMs);
    expect(begun).toEqual({ known: 30, strangers: 10 });
  });
});
