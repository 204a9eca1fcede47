import { expect, it } from 'vitest';
import { EventPage } from '../../src/modules/events/schema.ts';
import { useTestService } from '../support/service.ts';
import { writeEvents } from '../../scripts/bench/events.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService();

/** The state of a reader that survives a kill: the processed events, and the next cursor. */
interface Kept {
  readonly ids: string[];
  cursor: string | undefined;
}

/** Reads until `isDone`, and is killed again and again: during a request, or with a page that it has not stored yet. */
const readOften = async (keys: readonly string[], kept: Kept, isDone: () => boolean): Promise<void> => {
  let used = 0;
  for (;;) {
    const wasDone = isDone();
    const query = new URLSearchParams({ limit: String(100 + Math.floor(Math.random() * 100)), wait: '1' });
    if (kept.cursor !== undefined) query.set('cursor', kept.cursor);
    const fate = Math.random();
    try {
      const answer = await fetch(`${service.baseUrl}/events?${query.toString()}`, {
        headers: { Authorization: `Bearer ${keys[used % keys.length]}` },
        ...(fate < 0.2 && { signal: AbortSignal.timeout(Math.ceil(Math.random() * 15)) }),
      });
      if (answer.status === 429) used += 1;
      if (!answer.ok) continue;
      const page = EventPage.parse(await answer.json());
      if (fate > 0.8 && !wasDone) continue;
      expect(page.has_gap).toBe(false);
      kept.ids.push(...page.data.map(({ id }) => id));
      kept.cursor = page.next_cursor;
      if (wasDone && !page.has_more) return;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
};

it('every reader gets every event exactly once and in the same order, whatever is written and however often it is killed', async () => {
  const team = await aTeam(service, { rateLimit: 1_000_000 });
  const { databaseUrl } = service;
  // All keys are made before the writers begin, who would delay that.
  const someKeys = async () => {
    const keys: string[] = [];
    while (keys.length < 15) keys.push((await team.aKey()).text);
    return keys;
  };
  const keysOfReaders = [await someKeys(), await someKeys(), await someKeys()];
  const lateKeys = await someKeys();
  const before = await writeEvents(databaseUrl, { teamId: team.id, writers: 2, events: 500 });
  let done = false;
  const readers = keysOfReaders.map((): Kept => ({ ids: [], cursor: undefined }));
  const reading = Promise.all(readers.map((kept, n) => readOften(keysOfReaders[n] ?? [], kept, () => done)));
  const during = await writeEvents(databaseUrl, { teamId: team.id, writers: 8, events: 4_500 });
  done = true;
  await reading;
  const late: Kept = { ids: [], cursor: undefined };
  await readOften(lateKeys, late, () => true);
  const [first] = readers;
  expect(first?.ids.toSorted()).toEqual([...before, ...during].toSorted());
  for (const { ids } of [...readers, late]) expect(ids).toEqual(first?.ids);
});
