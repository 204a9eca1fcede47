import { describe, expect, it } from 'vitest';
import { lastAttempted, oldestOf, renewalOf } from '../../src/web/pages/webhooks/renewal.ts';

type Endpoint = Parameters<typeof renewalOf>[0];

const first: Endpoint = {
  id: 'first',
  url: 'https://hooks.example.com/training',
  events: ['training.completed', 'member.joined'],
  status: 'active',
};
const second: Endpoint = { ...first, id: 'second', events: ['member.joined', 'training.completed'] };

describe('the renewal of a secret', () => {
  it('has begun if another endpoint gets the same events at the same URL; the newer one is the second', () => {
    const found = { first, second };
    expect(renewalOf(first, [second, first])).toEqual(found);
    expect(renewalOf(second, [second, first])).toEqual(found);
    const third = { ...first, id: 'third' };
    expect(renewalOf(second, [third, second, first])).toEqual({ first, second: third });
    const paused: Endpoint = { ...first, status: 'disabled_failures' };
    expect(renewalOf(second, [second, paused])).toEqual({ first: paused, second });
  });

  it.each<[string, Partial<Endpoint>]>([
    ['URL', { url: `${first.url}/` }],
    ['choice of events', { events: ['training.completed'] }],
    ['status, because nothing is sent to it', { status: 'disabled' }],
  ])('has not begun if the other has another %s', (_what, other) => {
    const all = [{ ...second, ...other }, first];
    for (const one of all) expect(renewalOf(one, all)).toBeUndefined();
    expect(renewalOf(first, [first])).toBeUndefined();
  });

  it('shows the answer to the newest delivery that was attempted', () => {
    const [waiting, tried, older] = [{ attempt: 0 }, { attempt: 2 }, { attempt: 1 }];
    expect(lastAttempted([waiting, tried, older])).toBe(tried);
    expect(lastAttempted([waiting])).toBeUndefined();
  });

  it('hands over the events since the oldest that waits, and no tests', () => {
    const at = (minute: number, event_type = 'member.joined') => ({
      event_type,
      created_at: `2026-11-20T10:0${minute}:00.000Z`,
    });
    expect(oldestOf([at(5), at(3), at(4), at(1, 'ping')])).toBe('2026-11-20T10:03:00.000Z');
    expect(oldestOf([at(1, 'ping'), { event_type: 'member.joined', created_at: null }])).toBeUndefined();
  });
});
