// Strapi and Directus with the service's members and assignments in tables of their own, on the same PostgreSQL, each
// in one process.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { connectTo } from '../../kit/database.ts';
import type { Contender, Request } from '../../kit/load.ts';
import { freePort, startServer } from '../../kit/processes.ts';
import { pick, type Seeded } from '../../kit/seed.ts';
import { makeAssignmentInput } from '../rest.ts';
import { peersFolder } from './install.ts';

export type Measured = 'by id' | 'list of 50' | 'POST';

export interface Cms extends AsyncDisposable {
  contender(measured: Measured, seeded: Seeded): Contender;
}

const secret = () => randomBytes(24).toString('hex');

/** Where each CMS has the same data. */
interface Paths {
  member: (id: string) => string;
  members: (tenantId: string) => string;
  assignments: string;
  body: (assignment: object) => object;
}

/** As many requests as the teams have members, each of the next team. There is one token, which has no limit. */
const requestsOf = (measured: Measured, { teams, catalog }: Seeded, paths: Paths, token: string): Request[] => {
  const headers = { authorization: `Bearer ${token}` };
  const count = teams.reduce((sum, { members }) => sum + members.length, 0);
  return Array.from({ length: count }, (_, index): Request => {
    const team = pick(teams, index);
    const memberId = pick(team.members, index);
    if (measured === 'by id') return { method: 'GET', path: paths.member(memberId), headers };
    if (measured === 'list of 50') return { method: 'GET', path: paths.members(team.tenantId), headers };
    const body = JSON.stringify(paths.body({ tenant_id: team.tenantId, ...makeAssignmentInput(index, team, catalog) }));
    return {
      method: 'POST',
      path: paths.assignments,
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    };
  });
};

/** Fills the table of members, and gives it the index that its list needs. `times`: its own columns of times. */
const fill = async (
  url: string,
  { teams }: Seeded,
  { id, times }: { id: string; times: readonly string[] },
): Promise<void> => {
  await using client = await connectTo(url);
  const tenants = teams.flatMap(({ tenantId, members }) => members.map(() => tenantId));
  const members = teams.flatMap((team) => team.members);
  await client.query(
    `insert into members (${[...times, id].join(', ')}, tenant_id, user_id, email, role, state, joined_at, listed_at)
     select ${times.map(() => 'now()').join(', ')}, m.id${id === 'id' ? '::uuid' : ''}, tenant, gen_random_uuid(), m.id || '@example.com',
            'member', 'active', now(), now() + number * interval '1 ms'
       from unnest($1::uuid[], $2::text[]) with ordinality as m (tenant, id, number)`,
    [tenants, members],
  );
  await client.query('create index on members (tenant_id, listed_at)');
  await client.query('vacuum analyze');
};

const memberColumns = { tenant_id: 'uuid', user_id: 'uuid', email: 'text', role: 'text', state: 'text' };
const assignmentTexts = ['tenant_id', 'member_id', 'title', 'situation_id', 'personality_id', 'industry_id', 'note'];

// Strapi

const strapiPaths: Paths = {
  member: (id) => `/api/members/${id}`,
  members: (tenantId) =>
    `/api/members?filters[tenant_id][$eq]=${tenantId}&sort=listed_at&pagination[limit]=50&pagination[withCount]=false`,
  assignments: '/api/assignments',
  body: (data) => ({ data }),
};

const contentType = (singularName: string, attributes: Record<string, string>) =>
  JSON.stringify({
    kind: 'collectionType',
    collectionName: `${singularName}s`,
    info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
    options: { draftAndPublish: false },
    attributes: Object.fromEntries(Object.entries(attributes).map(([name, type]) => [name, { type }])),
  });

const strapiMiddlewares = ['errors', 'security', 'cors', 'poweredBy', 'query', 'body', 'session', 'favicon', 'public'];

/** An application as Strapi's own generator writes one, without the log of requests and the panel's files. */
const strapiFiles = (databaseUrl: string, token: string): Record<string, string> => {
  const names = { routes: 'Router', controllers: 'Controller', services: 'Service' };
  const api = (name: string, attributes: Record<string, string>) => ({
    [`src/api/${name}/content-types/${name}/schema.json`]: contentType(name, attributes),
    ...Object.fromEntries(
      Object.entries(names).map(([folder, kind]) => [
        `src/api/${name}/${folder}/${name}.js`,
        `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}');`,
      ]),
    ),
  });
  const times = { joined_at: 'datetime', listed_at: 'datetime' };
  const texts = (fields: readonly string[]) => Object.fromEntries(fields.map((name) => [name, 'string']));
  const connection = { connectionString: databaseUrl };
  const salts = { auth: { secret: secret() }, apiToken: { salt: secret() }, transfer: { token: { salt: secret() } } };
  const middlewares = strapiMiddlewares.map((name) => `strapi::${name}`);
  return {
    'config/database.json': JSON.stringify({
      connection: { client: 'postgres', connection, pool: { min: 10, max: 10 }, acquireConnectionTimeout: 60_000 },
    }),
    'config/admin.json': JSON.stringify({ ...salts, serveAdminPanel: false }),
    'config/api.json': JSON.stringify({ rest: { defaultLimit: 25, maxLimit: 100 } }),
    'config/middlewares.json': JSON.stringify(middlewares),
    'config/server.js': `module.exports = { host: '127.0.0.1', port: Number(process.env.PORT), app: { keys: ['${secret()}'] } };`,
    'src/index.js': `module.exports = { bootstrap: ({ strapi }) => strapi.db.query('admin::api-token').create({ data: {
      name: 'bench', description: '', type: 'full-access', accessKey: strapi.service('admin::api-token').hash('${token}') } }) };`,
    'start.cjs': `require('@strapi/strapi').createStrapi({ appDir: __dirname, distDir: __dirname }).start();`,
    ...api('member', { ...texts(Object.keys(memberColumns)), ...times }),
    ...api('assignment', { ...texts(assignmentTexts), due_date: 'date' }),
  };
};

const openCms = (contend: Cms['contender'], opened: AsyncDisposableStack): Cms => {
  const owned = opened.move();
  return { contender: contend, [Symbol.asyncDispose]: () => owned.disposeAsync() };
};

export const startStrapi = async (databaseUrl: string, seeded: Seeded): Promise<Cms> => {
  await using opened = new AsyncDisposableStack();
  const folder = join(peersFolder, 'strapi');
  const token = secret();
  for (const [name, text] of Object.entries(strapiFiles(databaseUrl, token))) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(join(folder, 'public', 'uploads'), { recursive: true });
  const environment = { NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true' };
  const server = opened.use(await startServer([join(folder, 'start.cjs')], environment, { ready: '/_health' }));
  await fill(databaseUrl, seeded, { id: 'document_id', times: ['created_at', 'updated_at', 'published_at'] });
  return openCms((measured, teams) => ({ server, requests: requestsOf(measured, teams, strapiPaths, token) }), opened);
};

// Directus

const directusPaths: Paths = {
  member: (id) => `/items/members/${id}`,
  members: (tenantId) => `/items/members?filter[tenant_id][_eq]=${tenantId}&sort=listed_at&limit=50`,
  assignments: '/items/assignments',
  body: (assignment) => assignment,
};

const directusTables = `
  create table members (id uuid primary key default gen_random_uuid(),
    ${Object.entries(memberColumns)
      .map((column) => column.join(' '))
      .join(', ')}, joined_at timestamptz, listed_at timestamptz, updated_at timestamptz);
  create table assignments (id uuid primary key default gen_random_uuid(),
    ${assignmentTexts.map((name) => `${name} ${name.endsWith('_id') ? 'uuid' : 'text'}`).join(', ')}, due_date date);`;

export const startDirectus = async (databaseUrl: string, seeded: Seeded): Promise<Cms> => {
  await using opened = new AsyncDisposableStack();
  const folder = join(peersFolder, 'directus');
  const token = secret();
  const environment = {
    NODE_ENV: 'production',
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    DB_POOL__MIN: '10',
    DB_POOL__MAX: '10',
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${await freePort()}`,
    SECRET: secret(),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: secret(),
    ADMIN_TOKEN: token,
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
    SERVE_APP: 'false',
    STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
    EXTENSIONS_PATH: join(folder, 'extensions'),
    CONFIG_PATH: join(folder, 'none.env'),
  };
  const program = join(folder, 'node_modules', '@directus', 'api', 'dist', 'cli', 'run.js');
  await promisify(execFile)(process.execPath, [program, 'bootstrap'], { env: environment });
  {
    await using client = await connectTo(databaseUrl);
    await client.query(directusTables);
  }
  await fill(databaseUrl, seeded, { id: 'id', times: ['updated_at'] });
  const server = opened.use(await startServer([program, 'start'], environment, { ready: '/server/ping' }));
  return openCms(
    (measured, teams) => ({ server, requests: requestsOf(measured, teams, directusPaths, token) }),
    opened,
  );
};
