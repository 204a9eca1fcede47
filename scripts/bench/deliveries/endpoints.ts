import { newId } from '../../../src/core/ids.ts';
import { statement } from '../../../src/db/query.ts';
import { apiVersion, newSecret, sealSecret } from '../../../src/webhooks/message.ts';
import type { Team } from '../../../src/platform/team.ts';
import type { Conduct } from './receiver-words.ts';
import type { Stage } from './stage.ts';

/** An endpoint, and the team whose events only this endpoint gets. */
export interface Told {
  team: Team;
  endpointId: string;
}

const insertTeams = statement<Record<never, never>, [ids: string[]]>(
  `insert into team (id, name, plan, seats, rate_limit_per_min, created_at)
   select id, 'Bench', 'team', 10, 600, now() from unnest($1::uuid[]) as id`,
);

const insertEndpoints = statement<Record<never, never>, unknown[]>(
  `insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
   select tenant_id, id, url, '{training.completed}', $5, secret, now()
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as e (tenant_id, id, url, secret)`,
);

interface Wanted {
  /** `oneTeam`: one team has all endpoints. `oneHost`: all URLs have the same host. */
  oneTeam?: boolean;
  oneHost?: boolean;
}

/** Creates `count` endpoints, each in its own team or all in one team, at a receiver with this behaviour. */
export const makeEndpoints = async (
  { platform, receiver }: Stage,
  count: number,
  conduct: Conduct,
  { oneTeam = false, oneHost = false }: Wanted = {},
): Promise<[Told, ...Told[]]> => {
  const only = newId();
  const make = () => {
    const [tenantId, id] = [oneTeam ? only : newId(), newId()];
    const url = receiver.urlFor(conduct, id, oneHost ? 'one host' : 'hosts in turn');
    return { tenantId, id, url, secret: sealSecret(platform.vault, id, newSecret()) };
  };
  const made = Array.from({ length: count }, make);
  const teams = [...new Set(made.map(({ tenantId }) => tenantId))];
  await platform.database.rows(insertTeams, teams);
  await platform.database.rows(
    insertEndpoints,
    made.map(({ tenantId }) => tenantId),
    made.map(({ id }) => id),
    made.map(({ url }) => url),
    made.map(({ secret }) => secret),
    apiVersion,
  );
  const [first, ...more] = made.map(({ tenantId, id }) => ({
    team: {
      id: tenantId,
      privacy: { memberDetail: true, leaderboard: true },
      actor: { kind: 'service' as const },
      rateLimitPerMin: 600,
      requestId: null,
      platform,
    },
    endpointId: id,
  }));
  if (!first) throw new Error('an endpoint at least is needed');
  return [first, ...more];
};

const statements = [
  'truncate webhook_event, webhook_delivery, webhook_attempt, webhook_waiting, webhook_endpoint_day, webhook_team_day',
  'delete from webhook_endpoint',
  'delete from graphile_worker._private_jobs',
].map((text) => statement<Record<never, never>, []>(text));

/** Deletes all events, endpoints, jobs and recorded arrivals. */
export const forgetEverything = async ({ platform, receiver }: Stage): Promise<void> => {
  for (const one of statements) await platform.database.rows(one);
  await receiver.take();
};
