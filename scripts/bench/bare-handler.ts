// The simplest implementation of the measured routes: Express, pg, plain statements, a simple gate, the same answers as the service, and
// nothing else. It is the fixed reference that the service is compared with, so it changes only if a table or an answer does.

import { createHash, randomUUID, randomUUIDv7 } from 'node:crypto';
import express from 'express';
import pg from 'pg';
import { basePath } from '../../src/core/product.ts';
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

const admit = async (
  request: express.Request,
  response: express.Response,
): Promise<{ tenant: string; key: string }> => {
  const [, , prefix = '', secret = ''] = (request.headers.authorization ?? '').slice('Bearer '.length).split('_');
  const values = [prefix, createHash('sha256').update(secret).digest(), request.ip, 120];
  const { rows } = await pool.query({ ...gate, values });
  if (rows.length === 0) throw new Error('unauthorized');
  response.set({ 'RateLimit-Limit': rows[0].budget_limit, 'RateLimit-Remaining': rows[0].budget_left });
  return { tenant: rows[0].tenant_id, key: rows[0].key_id };
};

const createAssignment = async (
  client: pg.PoolClient,
  { tenant, key }: { tenant: string; key: string },
  wanted: Body,
) => {
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
  };
};

type Body = Record<
  'member_id' | 'title' | 'situation_id' | 'personality_id' | 'industry_id' | 'note' | 'due_date',
  string
>;

express()
  .disable('x-powered-by')
  .disable('etag')
  .get('/readyz', (_request, response) => void response.json({}))
  .get(`${basePath}/users/:id`, async (request, response) => {
    const { tenant } = await admit(request, response);
    const { rows } = await pool.query({ ...memberById, values: [tenant, request.params.id] });
    response.json(rows[0]);
  })
  .get(`${basePath}/users`, async (request, response) => {
    const { tenant } = await admit(request, response);
    const limit = Number(request.query['limit']);
    const { rows } = await pool.query({ ...members, values: [tenant, limit + 1] });
    const data = rows.slice(0, limit).map(({ listed_at: _listedAt, ...shown }) => shown);
    response.json({ data, next_cursor: rows.length > limit ? String(rows[limit - 1].id) : null });
  })
  .get(`${basePath}/trainings`, async (request, response) => {
    const { tenant } = await admit(request, response);
    const limit = Number(request.query['limit']);
    const { rows } = await pool.query({ ...trainings, values: [tenant, limit + 1] });
    response.json({ data: rows.slice(0, limit), next_cursor: rows.length > limit ? String(rows[limit - 1].id) : null });
  })
  .get(`${basePath}/trainings/:id/evaluation`, async (request, response) => {
    const { tenant } = await admit(request, response);
    const { rows } = await pool.query({ ...evaluation, values: [tenant, request.params.id] });
    const { training_id, user_id, total, spread, tips, goal, methodology, strongest, biggest_lever, ...dimensions } =
      rows[0];
    const score = { dimensions, total, spread };
    response.json({ training_id, user_id, score, tips, goal, methodology, strongest, biggest_lever });
  })
  .post(`${basePath}/assignments`, express.json(), async (request, response) => {
    const admitted = await admit(request, response);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const assignment = await createAssignment(client, admitted, request.body);
      await client.query('COMMIT');
      response.status(201).location(`${basePath}/assignments/${assignment.id}`).json(assignment);
    } finally {
      client.release();
    }
  })
  .listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
