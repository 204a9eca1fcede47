import { describe, expect, it } from 'vitest';
import { makeHealth } from '../../src/platform/health.ts';

interface Given {
  state?: 'starting' | 'ready' | 'stopping';
  accepts?: boolean;
  maintenance?: boolean | undefined;
  isFetching?: boolean;
  away?: string[];
}

/** What a process in this state says of itself. */
const answers = async ({ state = 'ready', accepts = true, isFetching, away, ...given }: Given) => {
  const health = makeHealth({
    database: { acceptsWrites: () => Promise.resolve(accepts) },
    state: () => state,
    inMaintenance: () => ('maintenance' in given ? given.maintenance : false),
    ...(isFetching !== undefined && { isFetching: () => isFetching }),
    ...(away && { awayParts: () => away }),
  });
  const said = [health['/healthz'](), await health['/readyz']()];
  for (const { contentType } of said) expect(contentType).toBe('application/json; charset=utf-8');
  return said.map(({ httpStatus, text }) => {
    const { status, ...more } = JSON.parse(text);
    return [httpStatus, status, ...Object.values(more).flat()].join(' ');
  });
};

describe('/healthz and /readyz of a process', () => {
  it.each<[what: string, given: Given, healthz: string, readyz: string]>([
    ['that can do its work', {}, '200 ok', '200 ready'],
    ['that fetches jobs', { isFetching: true }, '200 ok', '200 ready'],
    ['that fetches no jobs', { isFetching: false }, '200 ok', '503 not_fetching'],
    ['that knows no machine that is away', { away: [] }, '200 ok', '200 ready'],
    ['of which one machine is away', { away: ['a:1', 'b:2'] }, '200 ok', '200 ready a:1 b:2'],
    [
      'that fetches no jobs, and of which one machine is away',
      { isFetching: false, away: ['a:1'] },
      '200 ok',
      '503 not_fetching a:1',
    ],
    ['of which every machine is away', { accepts: false, away: ['a:1'] }, '200 ok', '503 unavailable'],
    ['that starts', { state: 'starting' }, '200 ok', '503 starting'],
    ['that stops', { state: 'stopping', maintenance: true }, '200 maintenance', '503 stopping'],
    ['whose database accepts no writes', { accepts: false }, '200 ok', '503 unavailable'],
    ['that does not know yet whether there is maintenance', { maintenance: undefined }, '200 ok', '503 unavailable'],
    ['in maintenance', { maintenance: true }, '200 maintenance', '200 maintenance'],
    [
      'in maintenance, with a worker that waits',
      { maintenance: true, isFetching: false },
      '200 maintenance',
      '200 maintenance',
    ],
    ['in maintenance, without a database', { maintenance: true, accepts: false }, '200 maintenance', '503 unavailable'],
  ])('%s', async (_, given, healthz, readyz) => {
    expect(await answers(given)).toEqual([healthz, readyz]);
  });
});
