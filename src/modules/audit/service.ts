import { newId } from '../../core/ids.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Actor, Team } from '../../platform/team.ts';
import type { Action, TargetType } from './actions.ts';

export { listEntries } from './listing.ts';

export interface Deed {
  /** What was done, as `thing.done`. */
  action: Action;
  target: { type: TargetType; id: string };
  /** What changed; never a secret. */
  data?: Prisma.InputJsonObject;
}

const insert = statement<Record<never, never>, unknown[]>(
  `insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, target_id, data, request_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

const actorId = (actor: Actor): string | null => {
  if (actor.kind === 'key') return actor.id;
  return actor.kind === 'person' ? actor.userId : null;
};

/** Writes into the team's audit log what is done in this transaction, whoever does it and whichever way. */
export const record = async (tx: Tx, team: Team, { action, target, data = {} }: Deed): Promise<void> => {
  await rowsIn(
    tx,
    insert,
    team.id,
    newId(),
    team.actor.kind,
    actorId(team.actor),
    action,
    target.type,
    target.id,
    JSON.stringify(data),
    team.requestId,
    team.platform.clock.now(),
  );
};

const insertAll = statement<Record<never, never>, unknown[]>(
  `insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, target_id, data, request_id, created_at)
   select $1, deed.id, $2, $3, action, target_type, target_id, data, $4, $5
     from unnest($6::uuid[], $7::text[], $8::text[], $9::text[], $10::jsonb[]) as deed (id, action, target_type, target_id, data)`,
);

/** The same for many things that are done at once. */
export const recordAll = async (tx: Tx, team: Team, deeds: readonly Deed[]): Promise<void> => {
  if (deeds.length === 0) return;
  const { actor, requestId, platform } = team;
  await rowsIn(
    tx,
    insertAll,
    team.id,
    actor.kind,
    actorId(actor),
    requestId,
    platform.clock.now(),
    deeds.map(() => newId()),
    deeds.map(({ action }) => action),
    deeds.map(({ target }) => target.type),
    deeds.map(({ target }) => target.id),
    deeds.map(({ data = {} }) => JSON.stringify(data)),
  );
};
