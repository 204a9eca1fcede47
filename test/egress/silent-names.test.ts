import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openNames } from '../../src/egress/names.ts';
import type { NamesSettings } from '../../src/egress/names.ts';
import { certificates } from '../support/certificates.ts';
import { aLocalEgress, aMessage, aReceiver } from './an-egress.ts';

const address = ['93.184.216.34'];
const places = { known: 4, new: 8, slow: 2 };
const patience = { promptMs: 1_000, lateMs: 6_000, silentForMs: 30_000 };
const tooLong = 'The last look-up of the host name took too long: for 30 seconds there is no other.';
const neverBegan = 'The look-up of the host name could not begin in time: those of other names took too long.';
const failed = 'The look-up failed';

/** A resolver that uses a thread for each look-up and answers when the test says so; for names in `answering`, at once. */
const aResolver = () => {
  const running = new Map<string, PromiseWithResolvers<readonly string[]>>();
  const answering = new Set<string>();
  const asked: string[] = [];
  let most = 0;
  const ask = async (host: string) => {
    asked.push(host);
    if (answering.has(host)) return address;
    const answer = Promise.withResolvers<readonly string[]>();
    if (running.has(host)) throw new Error(`${host} is looked up twice at once`);
    running.set(host, answer);
    most = Math.max(most, running.size);
    return answer.promise.finally(() => running.delete(host));
  };
  return {
    ask,
    asked,
    answering,
    running,
    most: () => most,
    answer: (host: string) => running.get(host)?.resolve(address),
    giveUp: (host: string) => running.get(host)?.reject(new Error(failed)),
    giveUpAll: () => {
      for (const answer of running.values()) answer.reject(new Error(failed));
    },
  };
};

const someNames = (settings: NamesSettings = {}) => {
  const resolver = aResolver();
  const names = openNames({ ask: resolver.ask, places, patience, ...settings });
  onTestFinished(() => names.close());
  /** The result of a look-up as text. By default it is not cached. */
  const lookUp = (
    host: string,
    { waitMs = 10_000, keepMs = 0, group }: { waitMs?: number; keepMs?: number; group?: string } = {},
  ): Promise<string> =>
    names.lookUp(host, { keepMs, waitMs, group }).then(
      (addresses) => addresses.join(),
      (error: unknown) => (error instanceof Error ? error.message : 'no error'),
    );
  return { resolver, names, lookUp };
};

/**
 * Counts the timers of look-ups that have neither fired nor been cleared. Only those set by `src/egress` count: the service of earlier
 * files in this process sets timers at any time, with the same global functions.
 */
const countTimers = (): (() => number) => {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const pending = new Set<unknown>();
  vi.stubGlobal('setTimeout', (act: () => void, ms?: number) => {
    const timer = set(() => {
      pending.delete(timer);
      act();
    }, ms);
    if (new Error().stack?.includes('/webhooks/egress/') === true) pending.add(timer);
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer?: NodeJS.Timeout) => {
    pending.delete(timer);
    clear(timer);
  });
  return () => pending.size;
};

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const silentHosts = Array.from({ length: 50 }, (_, index) => `silent-${index}.example`);

describe('silent names', () => {
  let timers: () => number;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    timers = countTimers();
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    });
  });

  it('of one team leave places for the new names of another', async () => {
    const { resolver, lookUp } = someNames();
    resolver.answering.add('new.example').add('other.example');
    for (const host of silentHosts) void lookUp(host, { group: 'a team' });
    await pass(1);
    expect(resolver.running.size).toBe(places.new / 2);
    expect(await lookUp('new.example', { group: 'another team' })).toBe(address.join());
    // The first team does not get a place that becomes free meanwhile.
    expect(resolver.running.size).toBe(places.new / 2);
    resolver.giveUp('silent-0.example');
    await pass(1);
    expect(resolver.running.size).toBe(places.new / 2);
    expect(resolver.asked).toContain('silent-4.example');
  });

  it('do not delay a known name', async () => {
    const { resolver, lookUp } = someNames();
    resolver.answering.add('known.example');
    await lookUp('known.example');
    for (const host of silentHosts) void lookUp(host);
    await pass(1);
    expect(resolver.running.size).toBe(places.new);
    expect(await lookUp('known.example')).toBe(address.join());
    expect(resolver.asked.filter((host) => host === 'known.example')).toHaveLength(2);
  });

  it('wait in one queue with the new ones, first come, first served', async () => {
    const { resolver, lookUp } = someNames();
    for (const host of silentHosts.slice(0, 10)) void lookUp(host);
    resolver.answering.add('new.example');
    const answer = lookUp('new.example');
    await pass(5_000);
    expect(resolver.asked).toEqual(silentHosts.slice(0, 8));
    for (const host of silentHosts.slice(0, 3)) resolver.giveUp(host);
    expect(await answer).toBe(address.join());
    expect(resolver.asked).toEqual([...silentHosts.slice(0, 10), 'new.example']);
  });

  it('leave the queue when no caller waits for them any more', async () => {
    const { resolver, lookUp } = someNames();
    const answers = silentHosts.map((host) => lookUp(host, { keepMs: 60_000 }));
    resolver.answering.add('new.example');
    await pass(5_000);
    const healthy = lookUp('new.example');
    await pass(5_001);
    expect(await Promise.all(answers.slice(places.new))).toEqual(Array.from({ length: 42 }, () => neverBegan));
    resolver.giveUp('silent-0.example');
    expect(await healthy).toBe(address.join());
    expect(resolver.asked).toHaveLength(places.new + 1);
    // The look-up never started, so it does not count against the name.
    resolver.answering.add('silent-49.example');
    expect(await lookUp('silent-49.example')).toBe(address.join());
  });

  it('stay in the queue as long as a caller waits for them', async () => {
    const { resolver, lookUp } = someNames();
    for (const host of silentHosts.slice(0, 8)) void lookUp(host);
    const first = lookUp('new.example');
    await pass(9_000);
    const second = lookUp('new.example', { waitMs: 3_000 });
    await pass(2_000);
    resolver.answering.add('new.example');
    resolver.giveUp('silent-0.example');
    expect(await Promise.all([first, second])).toEqual([address.join(), address.join()]);
  });

  it('fail at once for a while, with a reason', async () => {
    const { resolver, lookUp } = someNames();
    const first = lookUp('silent.example');
    await pass(10_000);
    resolver.giveUp('silent.example');
    expect(await first).toBe(failed);
    await pass(29_000);
    expect(await lookUp('silent.example')).toBe(tooLong);
    expect(resolver.asked).toHaveLength(1);
    await pass(1_000);
    resolver.answering.add('silent.example');
    expect(await lookUp('silent.example')).toBe(address.join());
  });

  it('get no further waiting callers while the look-up is still running', async () => {
    const { resolver, lookUp } = someNames();
    const first = lookUp('silent.example');
    await pass(5_500);
    const second = lookUp('silent.example');
    await pass(500);
    expect(await lookUp('silent.example')).toBe(tooLong);
    // A late answer is still used.
    resolver.answer('silent.example');
    expect(await Promise.all([first, second])).toEqual([address.join(), address.join()]);
    resolver.answering.add('silent.example');
    expect(await lookUp('silent.example')).toBe(address.join());
  });

  it('are not the names that fail at once', async () => {
    const { resolver, lookUp } = someNames();
    for (let count = 0; count < 3; count += 1) {
      const answer = lookUp('missing.example');
      await pass(100);
      resolver.giveUp('missing.example');
      expect(await answer).toBe(failed);
    }
    expect(resolver.asked).toHaveLength(3);
  });

  it.each(['fails', 'answers late'])(
    'that were known wait separately from the others when a look-up %s',
    async (how) => {
      const { resolver, lookUp } = someNames();
      const turncoats = silentHosts.slice(0, 20);
      for (const host of turncoats) resolver.answering.add(host);
      for (const host of turncoats) await lookUp(host);
      resolver.answering.clear();
      for (const host of turncoats) void lookUp(host, { waitMs: 60_000 });
      for (let count = 0; count < 5; count += 1) {
        await pass(2_000);
        for (const host of resolver.running.keys()) {
          if (how === 'fails') resolver.giveUp(host);
          else resolver.answer(host);
        }
      }
      await pass(60_000);
      for (const host of turncoats) void lookUp(host);
      await pass(1);
      expect(resolver.running.size).toBe(places.slow);
      resolver.answering.add('new.example');
      expect(await lookUp('new.example')).toBe(address.join());
      expect(await lookUp('new.example')).toBe(address.join());
    },
  );

  it('are known again some minutes later, if they answer', async () => {
    const { resolver, lookUp } = someNames({ places: { known: 1, new: 1, slow: 1 } });
    void lookUp('once.example');
    await pass(10_000);
    resolver.giveUp('once.example');
    await pass(30_000);
    resolver.answering.add('once.example');
    await lookUp('once.example');
    await pass(300_000);
    await lookUp('once.example');
    for (const host of silentHosts) void lookUp(host);
    expect(await lookUp('once.example')).toBe(address.join());
  });

  it('release their threads', async () => {
    const { resolver, lookUp } = someNames();
    for (let round = 0; round < 5; round += 1) {
      const answers = silentHosts.map((host) => lookUp(`${round}.${host}`));
      await pass(10_001);
      resolver.giveUpAll();
      await Promise.all(answers);
      expect(resolver.running.size).toBe(0);
    }
    const healthy = Array.from({ length: places.new }, (_, index) => `healthy-${index}.example`);
    for (const host of healthy) void lookUp(host);
    await pass(1);
    expect([...resolver.running.keys()]).toEqual(healthy);
    resolver.giveUpAll();
    await pass(1);
    expect(timers()).toBe(0);
  });

  it('that wait are released when the service stops', async () => {
    const { names, resolver, lookUp } = someNames();
    const answers = silentHosts.map((host) => lookUp(host));
    await pass(1);
    names.close();
    resolver.giveUpAll();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([failed, neverBegan]));
    expect(resolver.asked).toHaveLength(places.new);
    expect(timers()).toBe(0);
  });

  it('leave no timer if a caller joins a look-up that has waited and runs by now', async () => {
    const { resolver, lookUp } = someNames({ places: { known: 1, new: 1, slow: 1 } });
    const answers = [lookUp('first.example'), lookUp('second.example')];
    await pass(1);
    resolver.giveUp('first.example');
    await pass(1);
    expect([...resolver.running.keys()]).toEqual(['second.example']);
    answers.push(lookUp('second.example', { waitMs: 20_000 }));
    await pass(1);
    resolver.giveUp('second.example');
    expect(await Promise.all(answers)).toEqual([failed, failed, failed]);
    expect(timers()).toBe(0);
  });

  it('never use more threads than there are, and every look-up ends', async () => {
    const few = { known: 2, new: 2, slow: 1 };
    const name = fc.integer({ min: 0, max: 39 }).map((number) => `${number}.example`);
    const which = fc.nat();
    const step = fc.oneof(
      fc.record({ do: fc.constant('ask' as const), name }),
      fc.record({ do: fc.constant('answer' as const), which }),
      fc.record({ do: fc.constant('giveUp' as const), which }),
      fc.record({
        do: fc.constant('pass' as const),
        ms: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 40_000 })),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 300 }), async (steps) => {
        const { resolver, lookUp } = someNames({ places: few });
        const answers: Promise<string>[] = [];
        for (const what of steps) {
          if (what.do === 'ask') answers.push(lookUp(what.name));
          else if (what.do === 'pass') await pass(what.ms);
          else {
            const hosts = [...resolver.running.keys()];
            resolver[what.do](hosts[what.which % hosts.length] ?? 'nobody');
          }
          await pass(0);
        }
        while (resolver.running.size > 0) {
          resolver.giveUpAll();
          await pass(10_000);
        }
        for (const answer of await Promise.all(answers)) {
          expect([address.join(), failed, tooLong, neverBegan]).toContain(answer);
        }
        expect(resolver.most()).toBeLessThanOrEqual(few.known + few.new + few.slow);
        expect(timers()).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an attempt', () => {
  const silentFor = (host: string) =>
    host.startsWith('silent') ? new Promise<readonly string[]>(() => {}) : Promise.resolve(['127.0.0.1']);

  it('is made at once to a known name while fifty others are silent', async () => {
    const certificate = await (await certificates()).serverFor(['receiver.example']);
    const receiver = await aReceiver({ certificate });
    const allowTargets = [`receiver.example:${receiver.port}`];
    const egress = await aLocalEgress({ lookUp: silentFor, allowTargets, timeout: 20_000 });
    const url = `https://receiver.example:${receiver.port}/`;
    expect(await egress.vet(url)).toEqual({ allowed: true, url });
    const posts = silentHosts.map((host) => egress.post(aMessage(`https://${host}/`)));
    const result = await egress.post(aMessage(url));
    expect(result).toMatchObject({ code: 200, error: null, fault: null });
    expect(result.ms).toBeLessThan(10_000);
    await egress.close();
    await Promise.all(posts);
  });

  it('whose look-up never began is not the receiver’s fault', async () => {
    const egress = await aLocalEgress({ lookUp: silentFor, timeout: 1_000 });
    const exchanges = await Promise.all(silentHosts.map((host) => egress.post(aMessage(`https://${host}/`))));
    const error = 'The look-up of the host name took longer than 1 second.';
    expect(exchanges[0]).toMatchObject({ code: null, error, fault: 'receiver' });
    expect(exchanges.at(-1)).toMatchObject({ code: null, error: neverBegan, fault: 'service' });
  });

  it('to a silent name fails at once for a while; vetting allows the name and does not wait again', async () => {
    let asked = 0;
    const lookUp = () => {
      asked += 1;
      return new Promise<readonly string[]>((_, reject) => setTimeout(() => reject(new Error(failed)), 1_500));
    };
    const egress = await aLocalEgress({ lookUp });
    const url = 'https://silent.example/';
    expect(await egress.post(aMessage(url))).toMatchObject({ code: null, fault: 'receiver' });
    const result = await egress.post(aMessage(url));
    expect(result).toMatchObject({ code: null, error: tooLong, fault: 'receiver' });
    expect(result.ms).toBeLessThan(1_000);
    expect(await egress.vet(url)).toEqual({ allowed: true, url });
    expect(asked).toBe(1);
  });
});
