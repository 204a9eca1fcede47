import { newId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Actor, Team } from '../../platform/team.ts';
import { countUsage } from '../storage/service.ts';
import type { Action, TargetType } from './actions.ts';
import { entryData } from './entry-data.ts';

export { urlInEntry } from './entry-data.ts';
export { listEntries } from './listing.ts';

export interface Deed {
  /** What was done, as `thing.done`. */
  action: Action;
  target: { type: TargetType; id: string };
  /** What changed; never a secret. Long texts and lists are shortened as the entry is written. */
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

const rowOf = (team: Team, { action, target, data = {} }: Deed) => [
  team.id,
  newId(),
  team.actor.kind,
  actorId(team.actor),
  action,
  target.type,
  target.id,
  entryData(data),
  team.requestId,
  team.platform.clock.now(),
];

/** Writes into the team's audit log what is done in this transaction, whoever does it and whichever way. */
export const record = async (tx: Tx, team: Team, deed: Deed): Promise<void> => {
  await rowsIn(tx, insert, ...rowOf(team, deed));
};

const countAndInsert = statement<{ counted: true }, unknown[]>(
  `with counted as (${countUsage('stored', '$11::bigint')})
   insert into audit_entry (tenant_id, id, actor_kind, actor_id, action, target_type, target_id, data, request_id, created_at)
   select $1::uuid, $2::uuid, $3::actor_kind, $4::text, $5::text, $6::text, $7::text, $8::jsonb, $9::uuid, $10::timestamptz from counted
   returning true as counted`,
);

/**
 * The same for a deed after which the team stores more or less, by so many bytes. Refused where that exceeds its quota. To be called last
 * in a transaction: from here to the commit no other of the team can count.
 */
export const recordStored = async (tx: Tx, team: Team, deed: Deed, bytes: number): Promise<void> => {
  if (bytes === 0) return record(tx, team, deed);
  const [row] = await rowsIn(tx, countAndInsert, ...rowOf(team, deed), bytes);
  if (!row) {
    fail('validation_error', {
      field: 'storage',
      detail: 'The team has used up the storage of its plan. Delete cases or assignments, or move to a larger plan.',
    });
  }
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
    deeds.map(({ data = {} }) => entryData(data)),
  );
};
