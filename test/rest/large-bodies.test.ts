import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { inputReader } from '../../src/server/rest/read-input.ts';
import { operationsOf } from '../../src/platform/trpc/operation.ts';

const [createCase] = operationsOf(publicRouter).filter(({ operation }) => operation.route === 'POST /cases');
if (!createCase) throw new Error('there is no POST /cases');
const { read } = inputReader(createCase);

const large = Buffer.from(JSON.stringify({ user_id: 'x', fields: { text: 'x'.repeat(limits.largeBodyBytes) } }));
const headers = { 'content-type': 'application/json' };
const readFor = (team: string) => read({ url: '/cases', headers }, team, {}, async () => large);

describe('large bodies that arrive together', () => {
  it('are read in turn among the teams: a second team’s body does not wait for all of the first', async () => {
    const done: string[] = [];
    const reading = Array.from({ length: 50 }, async () => {
      await readFor('a team');
      done.push('a team');
    });
    await readFor('another team');
    done.push('another team');
    await Promise.all(reading);
    expect(done.indexOf('another team')).toBeLessThan(5);
    expect(done).toHaveLength(51);
  });

  it('leave room for other work between two of them', async () => {
    let read = 0;
    const readAtTurns: number[] = [];
    const reading = Array.from({ length: 20 }, async () => {
      await readFor('a team');
      read += 1;
    });
    let isOver = false;
    const look = () => {
      readAtTurns.push(read);
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all(reading);
    isOver = true;
    expect(new Set(readAtTurns).size).toBeGreaterThan(10);
  });
});
