import { expect, it } from 'vitest';
import { z } from 'zod';
import { exampleFile } from '../../src/server/developers/facts.ts';
import { parseExactly } from '../../src/core/exact-json.ts';
import { readFeedPage } from '../../src/modules/crm/providers/feed.ts';
import { connect } from '../../src/modules/crm/service.ts';
import { certificates } from '../support/certificates.ts';
import { aFeed, aSync } from '../support/crm.ts';
import { localFeeds } from '../support/receiver.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const isFunction = (value: unknown): value is () => unknown => typeof value === 'function';
const Example = z.object({ answer: z.custom<() => unknown>(isFunction) });
const service = await useTestService({ environment: localFeeds((await certificates()).caFile()) });

it('the page of the guide shows the format that the service reads', () => {
  const page = readFeedPage(parseExactly(exampleFile('crm-feed-page.json')));
  expect(page).toMatchObject({
    deals: [
      { id: 'D-1', amount: '18400.50', probability: 40 },
      { id: 'D-2', deleted: true },
    ],
    objections: [{ id: 'O-1', dealId: 'D-1' }],
    nextCursor: undefined,
  });
});

it('the example in JavaScript is a feed that the service can sync, page by page', async () => {
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(exampleFile('crm-feed.mjs'))}`);
  const answer = (...given: unknown[]): unknown => Reflect.apply(Example.parse(module).answer, undefined, given);
  const Answer = z.object({ status: z.int(), page: z.unknown() });
  const feed = await aFeed(({ path, headers }) => {
    const { status, page } = Answer.parse(answer(new URL(path, 'https://feed.example'), headers.authorization));
    return { status, body: JSON.stringify(page ?? {}) };
  });
  const team = await aTeam(service);
  const acting = await team.acting();
  const wanted = { provider: 'feed', url: feed.url, token: 'secret-token' } as const;
  const { connectionId } = await connect(acting, wanted, { tries: true });
  expect(await aSync(service, team, connectionId)).toMatchObject({ outcome: 'ok', deals: 2, pages: 2 });
  const { body } = await team.client.get('/crm/deals');
  expect(body['data']).toMatchObject([{ external_id: 'D-2' }, { external_id: 'D-1', amount: '18400.50' }]);
});
