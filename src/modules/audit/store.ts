import { individualTargets } from '../../core/privacy.ts';
import { toSnake, type Camel } from '../../core/spelling.ts';
import { runLater, type Database, type Tx } from '../../db/database.ts';
import type { AuditEntry } from '../../db/generated/client.ts';
import { ActorKind } from '../../db/generated/enums.ts';
import { bool, json, jsonb, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { recordedEvents } from '../../deliveries/outbox.ts';
import { walkList } from '../../platform/walk-list.ts';
import { teamTable } from '../../platform/team-table.ts';
import type { AuditEntriesQuery, AuditFilters } from './schema.ts';

// The table `audit_entry`. An entry is changed only when a person in it is erased.

const actorKind = oneOf('actor_kind', ActorKind);

export type NewEntry = Omit<AuditEntry, 'tenantId' | 'data'> & { readonly data: Readonly<Record<string, unknown>> };

const columns = 'id, actor_kind, actor_id, action, target_type, target_id, data, request_id, address, created_at';

const given = `jsonb_to_recordset(:entries) as given (
    id uuid, actor_kind actor_kind, actor_id text, action text, target_type text, target_id text, data jsonb,
    request_id uuid, address text, created_at timestamptz)`;

const insert = query({
  name: 'audit.insert',
  why: 'every write does it: through Prisma a POST fell to a third of its rate, and thousands of entries took ten times as long',
  sql: `with written as (insert into audit_entry (tenant_id, ${columns}) select :tenantId, ${columns} from ${given}),
             ${recordedEvents(given)}`,
  parameters: { tenantId: uuid, entries: jsonb },
  row: { endpointId: uuid },
});

/** The most entries that one statement deletes. They are few, so that each statement takes a short time. */
export const deletedAtOnce = 1_000;

export const entries = {
  /**
   * The returned function returns the endpoints that get the entries as events. An endpoint is listed once for each
   * entry.
   */
  insert: (tx: Tx, tenantId: string, rows: readonly NewEntry[]) =>
    runLater(tx, insert, { tenantId, entries: JSON.stringify(toSnake(rows)) }),

  /** The time of the newest entry beyond the newest `kept` ones. */
  timeBeyond: async ({ prisma }: Database, tenantId: string, kept: number) => {
    const [entry] = await prisma.auditEntry.findMany({
      where: { tenantId },
      select: { createdAt: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: kept,
      take: 1,
    });
    return entry?.createdAt;
  },

  /** Deletes a batch of the oldest entries up to a time, and returns how many. */
  deleteOldest: async ({ prisma }: Database, tenantId: string, until: Date) => {
    const oldest = await prisma.auditEntry.findMany({
      where: { tenantId, createdAt: { lte: until } },
      select: { id: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: deletedAtOnce,
    });
    await prisma.auditEntry.deleteMany({ where: { tenantId, id: { in: oldest.map(({ id }) => id) } } });
    return oldest.length;
  },
};

/**
 * Entries about private cases are never shown. While member details are off, these are not shown either:
 *
 * - entries about trainings, and about assignments that were revoked when a member was removed
 * - with a filter by actor, entries whose actor is hidden, because the filter would reveal the actor
 */
const isShown = `not (target_type = 'case' and data @> '{"private": true}')
  and (:open::boolean or (target_type <> 'training' and not data @> '{"member_removed": true}'
    and (:actorId::text is null or target_type not in (${individualTargets.map((type) => `'${type}'`).join(', ')}))))`;

const walked = {
  id: uuid,
  actorKind,
  actorId: text.orNull,
  action: text,
  targetType: text,
  targetId: text.orNull,
  data: json,
  requestId: uuid.orNull,
  address: text.orNull,
  createdAt: time,
} as const;

type Order = AuditEntriesQuery['order'];

const walk = (name: string, direction: Order, common: Readonly<Record<string, string>>) =>
  walkList({
    name: `audit.${name}`,
    why: 'ends after a number of rows, even if few of them pass the filter',
    table: 'audit_entry',
    columns: walked,
    common,
    direction,
    after: { createdAt: ':after::timestamptz', id: ':afterId::uuid' },
    end: { createdAt: ':end::timestamptz' },
    filter: `(:action::text is null or action = :action) and (:actorKind::actor_kind is null or actor_kind = :actorKind)
      and (:actorId::text is null or actor_id = :actorId)
      and (:targetType::text is null or target_type = :targetType) and (:targetId::text is null or target_id = :targetId) and ${isShown}`,
    // An entry about a rule or policy may have some kilobytes.
    bytes: 'octet_length(data::text)',
    parameters: {
      after: time,
      afterId: uuid,
      end: time,
      action: text.orNull,
      actorKind: actorKind.orNull,
      actorId: text.orNull,
      targetType: text.orNull,
      targetId: text.orNull,
      open: bool,
    },
    counted: true,
  });

/** The lists in one order. Each list has its own index. */
const walksIn = (order: Order, name: 'newest' | 'oldest') => ({
  all: walk(name, order, {}),
  ofAction: walk(`${name}OfAction`, order, { action: ':action::text' }),
  ofActor: walk(`${name}OfActor`, order, { actorId: ':actorId::text' }),
  ofTarget: walk(`${name}OfTarget`, order, { targetType: ':targetType::text', targetId: ':targetId::text' }),
});

const walks = { desc: walksIn('desc', 'newest'), asc: walksIn('asc', 'oldest') };

/** The list for a filter. */
export const walkFor = ({ action, actorId, targetType, targetId }: Camel<AuditFilters>, order: Order) => {
  const { all, ofAction, ofActor, ofTarget } = walks[order];
  if (targetType !== undefined && targetId !== undefined) return ofTarget;
  if (actorId !== undefined) return ofActor;
  return action === undefined ? all : ofAction;
};

export type WalkedEntry = RowOf<typeof walked>;

const isAboutPrivateCase = `t.target_type = 'case' and t.data @> '{"private": true}'`;

/**
 * The audit log in the team's export and in the erasure of a person. Entries about private cases have no actor there.
 */
export const auditData = teamTable({
  table: 'audit_entry',
  file: 'audit_log.json',
  values: ['id', 'actorKind', 'action', 'targetType', 'requestId', 'address'],
  times: ['createdAt'],
  texts: ['actorId', 'targetId'],
  json: ['data'],
  // Erases the network address of the person in entries about what they did, and about attempts to sign in as them,
  // which the service records.
  cleared: { address: `t.actor_id ~* :any or (t.actor_kind = 'service' and t.target_id ~* :any)` },
  shownAs: {
    actorId: `case when ${isAboutPrivateCase} then null else t.actor_id end`,
    address: `case when ${isAboutPrivateCase} then null else t.address end`,
  },
});
