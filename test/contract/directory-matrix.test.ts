import { expect, it } from 'vitest';
import { provisioning } from '../../src/modules/provisioning/procedures.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { proceduresOf } from '../../src/platform/trpc/procedures.ts';
import { spend, teamBudget } from '../support/budgets.ts';
import { hasClosedCells } from '../support/postgres.ts';
import {
  added,
  aDirectory,
  aScimUser,
  directoryWith,
  expectScimError,
  patchOf,
  type Directory,
} from '../support/scim.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';
import { withoutTenantFilters } from '../support/without-tenant-filters.ts';

// Who may call the operations of a directory (SCIM): a table against the metadata and the running service. They are in no
// router of the REST API, so its matrices don't have them.

interface Row {
  status: number;
  body?: (team: TestTeam) => object;
}

const ofOwner = ({ owner }: TestTeam) => [{ value: owner.member_id }];

const rows: Readonly<Record<string, Row>> = {
  'GET /scim/v2/Users': { status: 200 },
  'GET /scim/v2/Users/{id}': { status: 200 },
  'POST /scim/v2/Users': { status: 201, body: () => aScimUser() },
  'PUT /scim/v2/Users/{id}': { status: 200, body: () => aScimUser() },
  'PATCH /scim/v2/Users/{id}': { status: 200, body: () => patchOf({ op: 'replace', path: 'title', value: 'CEO' }) },
  'DELETE /scim/v2/Users/{id}': { status: 204 },
  'GET /scim/v2/Groups': { status: 200 },
  'GET /scim/v2/Groups/{id}': { status: 200 },
  // Nobody may.
  'POST /scim/v2/Groups': { status: 403, body: () => ({ displayName: 'Sales' }) },
  'PUT /scim/v2/Groups/{id}': { status: 200, body: (team) => ({ displayName: 'Admins', members: ofOwner(team) }) },
  'PATCH /scim/v2/Groups/{id}': {
    status: 200,
    body: (team) => patchOf({ op: 'add', path: 'members', value: ofOwner(team) }),
  },
  'DELETE /scim/v2/Groups/{id}': { status: 403 },
  'GET /scim/v2/Schemas': { status: 200 },
};

const service = await useTestService();

/** Calls the operation of a title, with the id of a person or the group of admins. */
const call = (directory: Directory, title: string, { id, team }: { id: string; team: TestTeam }) => {
  const [method = '', path = ''] = title.split(' /scim/v2');
  const body = rows[title]?.body?.(team);
  return directory.request(
    method,
    path.replace('{id}', path.startsWith('/Groups') ? 'admins' : id),
    body ? { body } : {},
  );
};

const aPerson = async (directory: Directory) => String((await added(directory))['id']);

it('every operation has a row, and its metadata says that it needs the scope', () => {
  const found = proceduresOf(provisioning).map(([, { _def }]): unknown => _def.meta);
  const operations = Object.keys(rows).map((route) => expect.objectContaining({ route, scope: 'directory:manage' }));
  expect(found.map((meta) => Object(meta).operation)).toEqual(expect.arrayContaining(operations));
  expect(found).toHaveLength(operations.length);
});

it('every operation succeeds with exactly its scope; without it, without a key and beyond the budget it is refused', async () => {
  const team = await aTeam(service);
  const directory = await aDirectory(service, team);
  const id = await aPerson(directory);
  const others = await aDirectory(service, team, { scopes: allScopes.filter((scope) => scope !== 'directory:manage') });
  const spent = await aTeam(service, { rateLimit: 1 });
  const late = await aDirectory(service, spent);
  for (const [title, { status }] of Object.entries(rows)) {
    const whose = { id: title.startsWith('DELETE') ? await aPerson(directory) : id, team };
    expectScimError(await call(others, title, whose), 403, undefined, expect.stringContaining('directory:manage'));
    expectScimError(await call(directoryWith(service, undefined), title, whose), 401);
    await spend(service, teamBudget(spent.id), 1);
    expectScimError(await call(late, title, whose), 429);
    const answer = await call(directory, title, whose);
    expect(answer.status, `${title}: ${answer.text}`).toBe(status);
  }
});

it('no operation finds or shows anybody of another team, even if no statement names its team', async () => {
  const [team, other] = [await aTeam(service), await aTeam(service, { members: 1 })];
  const [directory, theirs] = [await aDirectory(service, team), await aDirectory(service, other)];
  const id = await aPerson(theirs);
  const listed = async () => (await theirs.get('/Users')).text;
  const before = await listed();
  for (const title of Object.keys(rows)) {
    const whose = { id, team };
    const named = title.includes('/Users/{id}');
    if (named) expectScimError(await call(directory, title, whose), 404);
    const answer = await withoutTenantFilters(() => call(directory, title, whose));
    // Citus' planner refuses some statements without a team.
    if (named && !(hasClosedCells() && answer.status === 500)) expectScimError(answer, 404);
    for (const foreign of [id, other.id, other.owner.member_id]) expect(answer.text, title).not.toContain(foreign);
    expect(await listed(), title).toBe(before);
  }
});
