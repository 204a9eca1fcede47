import { expect, it, onTestFinished } from 'vitest';
import { followEvents } from '../../src/server/developers/examples/following-events.mts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEvent } from '../support/webhooks.ts';

const service = await useTestService();

it('the reader in the guide gets every event once, even if it is killed and started again', async () => {
  const team = await aTeam(service);
  const kept: { ids: string[]; cursor: string | undefined } = { ids: [], cursor: undefined };
  const store = {
    cursor: async () => kept.cursor,
    save: async (events: { id: string }[], cursor: string) => {
      kept.ids.push(...events.map(({ id }) => id));
      kept.cursor = cursor;
    },
    readAgain: () => expect.unreachable('there is no gap'),
  };
  const raised: string[] = [];
  const raise = async () => raised.push(`evt_${(await anEvent(service, team)).replaceAll('-', '')}`);
  const follow = (signal: AbortSignal) => followEvents(service.baseUrl, team.client.key ?? '', store, signal);
  for (let life = 0; life < 3; life += 1) {
    await raise();
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const following = follow(stopping.signal);
    await expect.poll(() => kept.ids).toEqual(raised);
    await raise();
    await expect.poll(() => kept.ids).toEqual(raised);
    await raise();
    stopping.abort();
    await following;
  }
  const last = new AbortController();
  const following = follow(last.signal);
  await expect.poll(() => kept.ids).toEqual(raised);
  last.abort();
  await following;
});
