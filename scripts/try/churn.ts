// Creates and removes keys, members, endpoints and CRM connections during the load, as teams do all day.

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { makeId } from '../../src/core/ids.ts';
import { connect, disconnect, requestSync } from '../../src/modules/crm/service.ts';
import { createKey, revokeKey } from '../../src/modules/keys/service.ts';
import type { Team } from '../../src/platform/team.ts';
import { actIn } from '../../src/platform/team-row.ts';
import { openFoundation } from '../../src/run/foundation.ts';
import { pick, seedTeams, type SeededTeam } from '../kit/seed.ts';
import type { Wanted } from '../kit/clients.ts';
import type { Installation } from '../kit/installation.ts';

const turnMs = 5_000;

/** Teams of its own, as many as their limits of new keys a day and invitations an hour need. */
const sizes = { teams: 8, membersEach: 3, keysEach: 1, trainingsEach: 1 };

const Made = z.object({ id: z.string() });

/**
 * Runs until `over` is aborted, and returns the number of turns. Throws if something is answered otherwise than it must
 * be.
 */
export const churn = async (installation: Installation, over: AbortSignal): Promise<number> => {
  const foundation = await openFoundation(readConfig({ ...installation.environment, DATABASE_POOL: '4' }));
  const expectAnswer = async (status: number, wanted: Wanted): Promise<unknown> => {
    const answer = await installation.send(wanted);
    if (answer.status !== status) throw new Error(`${wanted.path}: ${answer.summary} instead of ${status}`);
    return answer.body;
  };

  const aKey = async (team: Team, { members }: SeededTeam): Promise<void> => {
    const by = pick(members, 0); // the owner
    const key = await createKey(team, { name: 'Comes and goes', by, scopes: ['users:read'] });
    await expectAnswer(200, { path: '/me', key: key.key });
    await revokeKey(team, key.keyId);
    await expectAnswer(401, { path: '/me', key: key.key });
  };

  const anEndpoint = async (key: string): Promise<string> => {
    const url = installation.receiver.urlFor('uncounted', makeId(), 'hosts in turn');
    const body = { url, events: ['assignment.created'] };
    return Made.parse(await expectAnswer(201, { path: '/webhook-endpoints', key, body })).id;
  };

  const aMember = async (key: string): Promise<void> => {
    const body = { email: `${makeId()}@example.com`, role: 'member', lang: 'de' };
    const { id } = Made.parse(await expectAnswer(201, { path: '/users', key, body }));
    await expectAnswer(200, { method: 'DELETE', path: `/users/${id}`, key });
  };

  const aConnection = async (team: Team): Promise<string> => {
    const url = installation.receiver.urlFor('feed', makeId(), 'hosts in turn');
    return (await connect(team, { provider: 'feed', url, token: 'a-token' }, { tries: false })).connectionId;
  };

  const { teams } = await seedTeams(installation.databaseUrl, sizes);
  const connections = new Map<string, string>();
  const endpoints: { key: string; id: string }[] = [];
  let turns = 0;
  try {
    while (!over.aborted) {
      const seeded = pick(teams, turns);
      const team = await actIn(foundation.platform, { kind: 'operator' }, seeded.tenantId);
      await aKey(team, seeded);
      if (turns % 5 === 0) await aMember(pick(seeded.keys, 0));

      // A connection is made, syncs once more when it is asked to, and is removed.
      const connection = connections.get(team.id);
      const visit = Math.floor(turns / teams.length) % 3;
      if (connection === undefined) connections.set(team.id, await aConnection(team));
      else if (visit === 1) await requestSync(team, connection);
      else if (visit === 2) await disconnect(team, connection).then(() => connections.delete(team.id));

      // Endpoints of the teams that have the load, so that each is removed while events are sent to it.
      const key = pick(pick(installation.seeded.teams, turns).keys, turns);
      endpoints.push({ key, id: await anEndpoint(key) });
      const gone = endpoints.length > installation.seeded.teams.length ? endpoints.shift() : undefined;
      if (gone) await expectAnswer(200, { method: 'DELETE', path: `/webhook-endpoints/${gone.id}`, key: gone.key });

      turns += 1;
      await sleep(turnMs, undefined, { signal: over }).catch(() => undefined);
    }
  } finally {
    await foundation.close();
  }
  return turns;
};
