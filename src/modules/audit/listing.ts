import { z } from 'zod';
import type { Language } from '../../core/language.ts';
import { statement } from '../../db/statement.ts';
import { cutAt, walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { walkSql } from '../../platform/walk-sql.ts';
import { nameThings } from './names.ts';
import type { Thing } from './names.ts';
import type { AuditEntry, AuditQuery } from './schema.ts';

interface EntryRow {
  id: string;
  actor_kind: AuditEntry['actor']['kind'];
  actor_id: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  data: Record<string, unknown>;
  request_id: string | null;
  created_at: string;
}

type Walked = (EntryRow | { id: null }) & { stopped_created_at: string | null; stopped_id: string | null };

type Values = [
  tenantId: string,
  limit: number,
  since: string,
  below: string,
  belowId: string,
  action: string | null,
  actorKind: string | null,
  targetType: string | null,
  targetId: string | null,
  open: boolean,
];

/**
 * What a member does with a private case is theirs alone. While member details are off nobody is told who trained, and when; nor,
 * by what was taken back from whoever was removed, what they had been given.
 */
const told = `not (target_type = 'case' and data @> '{"private": true}')
  and ($10::boolean or (target_type <> 'training' and not data @> '{"member_removed": true}'))`;

const passes = `($6::text is null or action = $6) and ($7::actor_kind is null or actor_kind = $7)
  and ($8::text is null or target_type = $8) and ($9::text is null or target_id = $9) and ${told}`;

const walk = (common: Readonly<Record<string, string>> = {}) =>
  statement<Walked, Values>(
    walkSql({
      table: 'audit_entry',
      columns: 'id, actor_kind, actor_id, action, target_type, target_id, data, request_id, created_at',
      common,
      below: { created_at: '$4::timestamptz', id: '$5::uuid' },
      least: { created_at: '$3::timestamptz' },
      filter: passes,
      // What a rule or policy names may be thousands of ids.
      bytes: 'octet_length(data::text)',
    }),
  );

const newest = walk();
const newestOfAction = walk({ action: '$6::text' });
const newestOfTarget = walk({ target_type: '$8::text', target_id: '$9::text' });

const walkFor = ({ action, target_type, target_id }: Partial<AuditQuery>) => {
  if (target_type !== undefined && target_id !== undefined) return newestOfTarget;
  return action === undefined ? newest : newestOfAction;
};

const Position = z.tuple([z.iso.datetime(), z.uuid()]);
type Position = z.output<typeof Position>;

const positionOf = ({ created_at, id }: EntryRow): Position => [created_at, id];

const beforeAll = '00000000-0000-0000-0000-000000000000';

/** What people are given to do and train with: while member details are off it is shown, but not whose it is. */
const ofPeople = new Set(['assignment', 'case']);

const discreet = (row: EntryRow): EntryRow => {
  if (row.action === 'member.removed') {
    const { assignments_revoked: _revoked, ...data } = row.data;
    return { ...row, data };
  }
  if (!ofPeople.has(row.target_type)) return row;
  const { user_id: _user, member_id: _member, ...data } = row.data;
  // The request may have done something else, of which the log says to whom.
  return { ...row, data, actor_id: row.actor_kind === 'person' ? null : row.actor_id, request_id: null };
};

const actorOf = ({ actor_kind, actor_id }: EntryRow): Thing => ({ type: actor_kind, id: actor_id });
const targetOf = ({ target_type, target_id }: EntryRow): Thing => ({ type: target_type, id: target_id });

const pageOfRows = (team: Team, { cursor, limit, ...filter }: AuditQuery): Promise<Page<EntryRow>> => {
  const { action = null, actor_kind = null, target_type = null, target_id = null, since, until } = filter;
  const open = team.privacy.memberDetail;
  return walkPage<EntryRow, Position>(team, {
    list: `${open ? 'audit' : 'discreet audit'}&${encodeURIComponent(JSON.stringify(filter))}`,
    position: Position,
    query: { cursor, limit },
    walk: async ([below, belowId] = [until?.toISOString() ?? 'infinity', beforeAll], most) => {
      const rows = await team.platform.database.rows(
        walkFor(filter),
        team.id,
        most,
        since?.toISOString() ?? '-infinity',
        below,
        belowId,
        action,
        actor_kind,
        target_type,
        target_id,
        open,
      );
      const { stopped_created_at: at = null, stopped_id: id = null } = rows[0] ?? {};
      const found = cutAt(
        rows.flatMap((row) => (row.id === null ? [] : [row])),
        positionOf,
      );
      return {
        stoppedAt: at === null || id === null ? undefined : [at, id],
        ...(found.stoppedAt ? found : { rows: found.rows }),
      };
    },
    positionOf,
  });
};

/** What was done in the team, the newest first, whoever did it and whichever way. However rare what it looks for, it looks only so far. */
export const listEntries = async (team: Team, query: AuditQuery, language: Language): Promise<Page<AuditEntry>> => {
  const page = await pageOfRows(team, query);
  const rows = team.privacy.memberDetail ? page.data : page.data.map(discreet);
  const nameOf = await nameThings(team, language, [...rows.map(actorOf), ...rows.map(targetOf)]);
  const data = rows.map((row) => ({
    id: row.id,
    action: row.action,
    actor: { kind: row.actor_kind, id: row.actor_id, name: nameOf(actorOf(row)) },
    target: { type: row.target_type, id: row.target_id, name: nameOf(targetOf(row)) },
    data: row.data,
    request_id: row.request_id,
    created_at: row.created_at,
  }));
  return { ...page, data };
};
