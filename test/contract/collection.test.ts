import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readDocument } from '../../scripts/openapi/document.ts';
import { collectionFile, collectionOf } from '../../scripts/openapi/collection.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { anEvent } from '../support/webhooks.ts';

const json = async (file: string | URL): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

const Value = z.object({ key: z.string(), value: z.string() });
const Collection = z.object({
  item: z.array(
    z.object({
      item: z.array(
        z.object({
          name: z.string(),
          request: z.object({
            method: z.string(),
            header: z.array(Value),
            body: z.object({ raw: z.string() }).optional(),
            url: z.object({
              path: z.array(z.string()),
              query: z.array(Value).default([]),
              variable: z.array(Value).default([]),
            }),
          }),
        }),
      ),
    }),
  ),
});

const service = await useTestService();

describe('the collection of requests', () => {
  it('is made from the accepted description (npm run openapi)', async () => {
    expect(await json(collectionFile)).toEqual(collectionOf(await readDocument()));
  });

  it('has a request for each operation, which the service understands with every parameter and body of its examples', async () => {
    const team = await aTeam(service);
    // The feed’s example waits for an event of this type.
    await anEvent(service, team, { type: 'training.completed' });
    const { text } = await team.aKey();
    const client = makeClient(service.baseUrl, text);
    const requests = Collection.parse(await json(collectionFile)).item.flatMap(({ item }) => item);
    expect(requests).toHaveLength(operationsOf(publicRouter).length);
    for (const { name, request } of requests) {
      const { path, query, variable } = request.url;
      const values = new Map(variable.map(({ key, value }) => [`:${key}`, value]));
      const place = path.map((part) => values.get(part) ?? part).join('/');
      const parameters = query.flatMap(({ key, value }) =>
        value === '' ? [] : [`${key}=${encodeURIComponent(value)}`],
      );
      const answer = await client.request(
        request.method,
        `/${place}?${request.method === 'GET' ? parameters.join('&') : ''}`,
        {
          ...(request.body && { body: JSON.parse(request.body.raw) }),
        },
      );
      // The ids of the examples do not exist in this team.
      const expected = ['kombination_ungueltig', 'not_found'].includes(String(answer.body['code']));
      expect(answer.status < 300 || expected, `${name}: ${answer.text}`).toBe(true);
    }
  });
});
