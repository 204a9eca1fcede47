// The work of the handlers to which the service is compared: a simple gate, plain statements, and the same answers as
// the service. No framework is in it.

import { createHash, randomUUID, randomUUIDv7 } from 'node:crypto';
import pg from 'pg';
import {
  combination,
  evaluation,
  gate,
  insertAssignment,
  insertAudit,
  insertDelivery,
  insertEvent,
  memberById,
  members,
  privacy,
  recipient,
  trainings,
} from './bare-statements.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10, options: '-c timezone=UTC' });

export interface Caller {
  tenant: string;
  key: string;
  /** For the answer. */
  headers: Record<string, string>;
}

export const admit = async (authorization = '', ip = ''): Promise<Caller> => {
  const [, , prefix = '', secret = ''] = authorization.slice('Bearer '.length).split('_');
  const values = [prefix, createHash('sha256').update(secret).digest(), ip, 120];
  const { rows } = await pool.query({ ...gate, values });
  if (rows.length === 0) throw new Error('unauthorized');
  const { tenant_id: tenant, key_id: key, budget_limit, budget_left } = rows[0];
  return { tenant, key, headers: { 'RateLimit-Limit': budget_limit, 'RateLimit-Remaining': budget_left } };
};

export const getMember = async ({ tenant }: Caller, id: string) => {
  const { rows } = await pool.query({ ...memberById, values: [tenant, id] });
  return rows[0];
};

export const listMembers = async ({ tenant }: Caller, limit: number) => {
  const { rows } = await pool.query({ ...members, values: [tenant, limit + 1] });
  const data = rows.slice(0, limit).map(({ listed_at: _listedAt, ...shown }) => shown);
  return { data, next_cursor: rows.length > limit ? String(rows[limit - 1].id) : null };
};

export const listTrainings = async ({ tenant }: Caller, limit: number) => {
  const { rows } = await pool.query({ ...trainings, values: [tenant, limit + 1] });
  return { data: rows.slice(0, limit), next_cursor: rows.length > limit ? String(rows[limit - 1].id) : null };
};

export const getEvaluation = async ({ tenant }: Caller, id: string) => {
  const { rows } = await pool.query({ ...evaluation, values: [tenant, id] });
  const { training_id, user_id, total, spread, tips, goal, methodology, strongest, biggest_lever, ...dimensions } =
    rows[0];
  const score = { dimensions, total, spread };
  return { training_id, user_id, score, tips, goal, methodology, strongest, biggest_lever };
};

export type NewAssignment = Record<
  'member_id' | 'title' | 'situation_id' | 'personality_id' | 'industry_id' | 'note' | 'due_date',
  string
>;

const insertAll = async (client: pg.PoolClient, { tenant, key }: Caller, wanted: NewAssignment) => {
  const { member_id, title, situation_id, personality_id, industry_id, note, due_date } = wanted;
  const run = (statement: { name: string; text: string }, values: unknown[]) => client.query({ ...statement, values });
  const created = new Date().toISOString();
  const [id, event] = [randomUUIDv7(), randomUUIDv7()];

  const { rows: switches } = await run(privacy, [tenant]);
  const { rows: people } = await run(recipient, [tenant, member_id]);
  const { user_id, email } = people[0];
  const items = [situation_id, personality_id, industry_id];
  const { rows: judged } = await run(combination, [tenant, member_id, situation_id, items]);
  if (judged.length < 3 || judged.some(({ released, fits }) => !released || !fits)) throw new Error('not possible');
  await run(insertAssignment, [tenant, id, member_id, title, ...items, note, due_date, null, created]);
  const told = { team_id: tenant, assignment_id: id, status: 'open', due_date, completed_training_id: null };
  const data = switches[0].memberDetail ? { ...told, user_id } : told;
  const { rows: found } = await run(insertEvent, [tenant, event, 'assignment.created', JSON.stringify(data), created]);
  const ids = found.map(() => randomUUIDv7()).toSorted();
  const [events, types] = [found.map(() => event), found.map(() => 'assignment.created')];
  await run(insertDelivery, [tenant, ids, found.map(({ id }) => id), events, types, created]);
  const deed = ['key', key, 'assignment.created', 'assignment', id, JSON.stringify({ member_id, title }), randomUUID()];
  await run(insertAudit, [tenant, randomUUIDv7(), ...deed, created]);
  return {
    id,
    status: 'open',
    title,
    situation_id,
    personality_id,
    industry_id,
    member_user_id: user_id,
    member_email: email,
    note,
    due_date,
    focus_dimension: null,
    completed_training_id: null,
    created_at: created,
    updated_at: created,
  };
};

export const createAssignment = async (caller: Caller, wanted: NewAssignment) => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const assignment = await insertAll(client, caller, wanted);
    await client.query('COMMIT');
    return assignment;
  } finally {
    client.release();
  }
};
