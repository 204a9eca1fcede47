// What one would write first: Express, pg, the same two statements, the same answer, and nothing else.

import { createHash } from 'node:crypto';
import express from 'express';
import pg from 'pg';
import { basePath } from '../../src/core/base-path.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const gate = {
  name: 'gate',
  text: `select outcome, tenant_id, key_id, scopes, member_detail_enabled, leaderboard_enabled, team_limit, budget_limit, budget_left, reset_ms
           from gate($1, $2, $3, $4, $5, $6, $6)`,
};
const columns = 'id, user_id, email, role, status, joined_at';
const byId = {
  name: 'by-id',
  text: `select ${columns} from member where tenant_id = $1 and id = $2 and status <> 'ended'`,
};
const list = {
  name: 'list',
  text: `select ${columns}, listed_at from member where tenant_id = $1 and status <> 'ended'
          order by (role <> 'owner'), listed_at, id limit $2`,
};

const admit = async (request: express.Request, response: express.Response): Promise<string> => {
  const [, , prefix = '', secret = ''] = (request.headers.authorization ?? '').slice('Bearer '.length).split('_');
  const values = [prefix, createHash('sha256').update(secret).digest(), request.ip, 120, 60, true];
  const { rows } = await pool.query({ ...gate, values });
  response.set({ 'RateLimit-Limit': rows[0].budget_limit, 'RateLimit-Remaining': rows[0].budget_left });
  if (rows[0].outcome !== 'admitted') response.status(401);
  return rows[0].tenant_id;
};

express()
  .disable('x-powered-by')
  .disable('etag')
  .get('/readyz', (_request, response) => void response.json({}))
  .get(`${basePath}/users/:id`, async (request, response) => {
    const tenantId = await admit(request, response);
    const { rows } = await pool.query({ ...byId, values: [tenantId, request.params.id] });
    response.json(rows[0]);
  })
  .get(`${basePath}/users`, async (request, response) => {
    const tenantId = await admit(request, response);
    const limit = Number(request.query['limit']);
    const { rows } = await pool.query({ ...list, values: [tenantId, limit + 1] });
    const data = rows.slice(0, limit).map(({ listed_at: _listedAt, ...member }) => member);
    response.json({ data, next_cursor: rows.length > limit ? String(rows[limit - 1].id) : null });
  })
  .listen(Number(process.env['PORT']), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
