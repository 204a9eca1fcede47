import { newId } from '../../../src/core/ids.ts';
import { statement } from '../../../src/db/statement.ts';
import { apiVersion } from '../../../src/webhooks/message.ts';
import { newSecret, sealSecret } from '../../../src/webhooks/message.ts';
import type { Team } from '../../../src/platform/team.ts';
import type { Conduct } from './receiver-words.ts';
import type { Stage } from './stage.ts';

/** An endpoint, and the team that is told of by it alone. */
export interface Told {
  team: Team;
  endpointId: string;
}

const insertTeam = statement<Record<never, never>, [id: string]>(
  `insert into team (id, name, plan, seats, rate_limit_per_min, created_at) values ($1, 'Bench', 'team', 10, 600, now())`,
);

const insertEndpoint = statement<Record<never, never>, unknown[]>(
  `insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
   values ($1, $2, $3, '{training.completed}', $4, $5, now())`,
);

/** Makes so many teams with an endpoint each, at a receiver that conducts itself like this. */
export const makeEndpoints = async (
  { platform, receiver }: Stage,
  count: number,
  conduct: Conduct,
): Promise<[Told, ...Told[]]> => {
  const make = async (): Promise<Told> => {
    const [tenantId, endpointId] = [newId(), newId()];
    await platform.database.rows(insertTeam, tenantId);
    const url = receiver.urlFor(conduct, endpointId);
    const secret = sealSecret(platform.vault, endpointId, newSecret());
    await platform.database.rows(insertEndpoint, tenantId, endpointId, url, apiVersion, secret);
    const team: Team = {
      id: tenantId,
      privacy: { memberDetail: true, leaderboard: true },
      actor: { kind: 'service' },
      rateLimitPerMin: 600,
      requestId: null,
      platform,
    };
    return { team, endpointId };
  };
  const made: [Told, ...Told[]] = [await make()];
  while (made.length < count) made.push(await make());
  return made;
};

const statements = [
  'truncate webhook_event, webhook_delivery, webhook_attempt, webhook_waiting, webhook_endpoint_day, webhook_team_day',
  'delete from webhook_endpoint',
  'delete from graphile_worker._private_jobs',
].map((text) => statement<Record<never, never>, []>(text));

/** Leaves nothing of what was raised before, nor anybody to tell. */
export const forgetEverything = async ({ platform, receiver }: Stage): Promise<void> => {
  for (const one of statements) await platform.database.rows(one);
  await receiver.take();
};
