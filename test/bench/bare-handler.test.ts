import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestsFor, scenarios } from '../../scripts/bench/scenarios.ts';
import { seedTeams } from '../../scripts/bench/seed.ts';
import type { Seeded } from '../../scripts/bench/seed.ts';
import { startServer } from '../../scripts/bench/server-process.ts';
import type { ServerProcess } from '../../scripts/bench/server-process.ts';
import { readAnswer } from '../support/client.ts';
import type { Answer } from '../support/client.ts';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { openWire } from '../support/wire.ts';
import type { Wire } from '../support/wire.ts';

let database: TestDatabase;
let wires: Record<'service' | 'bare', Wire>;
let service: TestService;
let bare: ServerProcess;
let seeded: Seeded;
beforeAll(async () => {
  database = await createDatabase();
  seeded = await seedTeams(database.url, { teams: 1, membersEach: 60, keysEach: 1, trainingsEach: 60 });
  wires = { service: await openWire(database.url), bare: await openWire(database.url) };
  service = await startTestService({ databaseUrl: wires.service.url });
  bare = await startServer('scripts/bench/bare-handler.ts', [], wires.bare.url);
});
afterAll(async () => {
  await bare.stop();
  await service.close();
  for (const wire of Object.values(wires)) await wire.close();
  await database.drop();
});

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** An answer without what each makes for itself: the place of a next page, and what only a new row has. */
const comparable = ({ status, body }: Answer) => ({
  ...body,
  ...(Object.hasOwn(body, 'next_cursor') && { next_cursor: typeof body['next_cursor'] }),
  ...(status === 201 && { id: typeof body['id'], created_at: typeof body['created_at'] }),
});

describe('the bare handler that the service is measured against', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s: sends the same statements in the same order, and gives the same answer',
    async (_name, scenario) => {
      const ask = async (origin: string, wire: Wire) => {
        const next = requestsFor(origin, scenario, seeded);
        const send = async () => {
          const { origin, method, path, headers, body } = next();
          const answer = await fetch(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) });
          return readAnswer(answer.status, answer.headers, await answer.text());
        };
        for (let warmed = 0; warmed < 2; warmed += 1) await send();
        wire.takeRoundTrips();
        const answer = await send();
        expect(answer.status).toBe(scenario.status);
        return { trips: wire.takeRoundTrips().map((trip) => trip.map(oneLine)), answer };
      };
      const ours = await ask(service.origin, wires.service);
      const theirs = await ask(bare.origin, wires.bare);
      expect(theirs.trips).toEqual(ours.trips);
      expect(comparable(theirs.answer)).toEqual(comparable(ours.answer));
      expect(theirs.answer.headers.has('location')).toBe(ours.answer.headers.has('location'));
    },
  );
});
