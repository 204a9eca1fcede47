import { describe, expect, it } from 'vitest';
import { minutesToMs } from '../../src/core/clock.ts';
import { FailingCallers } from '../../src/platform/telemetry/failing-callers.ts';

const byKey = { keyPrefix: 'abc', tenantId: undefined };
const inApp = { keyPrefix: undefined, tenantId: 'team' };

/** What is counted after answers with these statuses to one caller of a route. */
const after = (statuses: readonly number[], caller: typeof byKey | typeof inApp = byKey) => {
  const failing = new FailingCallers();
  for (const status of statuses) failing.note({ method: 'GET', route: '/cases', status, ...caller });
  return failing.counts();
};
const one = [{ method: 'GET', route: '/cases', callers: 1 }];

describe('a caller fails', () => {
  it.each([
    ['after three 5xx in a row, not after two', [500, 503], []],
    ['', [500, 503, 503], one],
    ['until it gets another answer', [503, 503, 503, 200], []],
    ['also a refusal', [503, 503, 503, 422], []],
    ['and then not before three more', [503, 503, 503, 200, 503, 503], []],
    ['whether or not it sends too much or leaves in between', [503, 429, 503, 499, 503, 429], one],
    ['not if it only sends too much', [429, 429, 429, 499], []],
  ])('%s %j', (_, statuses, expected) => {
    expect(after(statuses)).toEqual(expected);
    expect(after(statuses, { keyPrefix: undefined, tenantId: 'team' })).toEqual(expected);
  });

  it('on one route, by one method, whatever it gets from others', () => {
    const failing = new FailingCallers();
    for (let turn = 0; turn < 3; turn += 1) {
      failing.note({ method: 'POST', route: '/cases', status: 503, ...byKey });
      failing.note({ method: 'GET', route: '/cases', status: 200, ...byKey });
      failing.note({ method: 'POST', route: '/cases', status: 201, ...inApp });
      failing.note({ method: 'GET', route: '/me', status: 503, ...byKey });
      failing.note({ method: 'GET', route: '/me', status: 503, ...inApp });
    }
    expect(failing.counts()).toEqual([
      { method: 'POST', route: '/cases', callers: 1 },
      { method: 'GET', route: '/me', callers: 2 },
    ]);
  });

  it('for each key of a team, whatever the others get', () => {
    const failing = new FailingCallers();
    const note = (keyPrefix: string, status: number) =>
      failing.note({ method: 'GET', route: '/me', status, keyPrefix, tenantId: 'team' });
    const all = (one: number, other: number) => {
      for (let turn = 0; turn < 3; turn += 1) {
        note('one', one);
        note('other', other);
      }
      return failing.counts();
    };
    expect(all(503, 200)).toEqual([{ method: 'GET', route: '/me', callers: 1 }]);
    expect(all(503, 503)).toEqual([{ method: 'GET', route: '/me', callers: 2 }]);
  });

  it('for half an hour after its last failure', () => {
    const failing = new FailingCallers();
    for (const at of [0, 1, 2])
      failing.note({ method: 'GET', route: '/cases', status: 500, ...byKey }, minutesToMs(at));
    expect(failing.counts(minutesToMs(32))).toEqual(one);
    expect(failing.counts(minutesToMs(32) + 1)).toEqual([]);
  });

  it('unless nobody is known who called', () => {
    const failing = new FailingCallers();
    const nobody = { keyPrefix: undefined, tenantId: undefined };
    for (let turn = 0; turn < 3; turn += 1) failing.note({ method: 'GET', route: '/me', status: 503, ...nobody });
    expect(failing.counts()).toEqual([]);
  });
});

it('callers beyond a thousand are not counted, those that are stay', () => {
  const failing = new FailingCallers();
  for (let turn = 0; turn < 3; turn += 1) {
    for (let caller = 0; caller < 1_100; caller += 1)
      failing.note({ method: 'GET', route: '/me', status: 503, keyPrefix: `${caller}`, tenantId: undefined });
  }
  expect(failing.counts()).toEqual([{ method: 'GET', route: '/me', callers: 1_000 }]);
});
