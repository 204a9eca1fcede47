import { expect, it } from 'vitest';
import { minutesToMs, later } from '../../src/core/clock.ts';
import { keyTemplates } from '../../src/core/scopes.ts';
import { record } from '../../src/modules/audit/service.ts';
import { endTraining, startTraining } from '../../src/modules/trainings/service.ts';
import { inTheApp } from '../support/app-caller.ts';
import { allListed } from '../support/pages.ts';
import { aCombination } from '../support/practice.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

// GET /audit-entries: the audit log for programs.

const service = await useTestService();

const read = (team: TestTeam, query = '') => allListed(team.client, `/audit-entries?limit=3${query}`);

const idsIn = (entries: readonly Record<string, unknown>[]) => entries.map(({ id }) => String(id));

/** A team in which things were done to members, keys, endpoints and assignments. */
const aBusyTeam = async () => {
  const team = await aTeam(service, { members: 2 });
  const { client } = team;
  const member = await team.anActiveMember();
  await client.patch(`/users/${member.id}`, { role: 'admin' });
  const url = 'https://example.com/hook?token=secret';
  await client.post('/webhook-endpoints', { url, events: ['member.joined'] });
  const given = { member_id: member.id, title: 'Practise', ...(await aCombination(service)) };
  await client.post('/assignments', given);
  await client.post('/cases', { user_id: member.user_id, title: 'A case' });
  await (await inTheApp(team)).keys.create({ name: 'x', template: 'read_only' });
  const { trainingId } = await startTraining(await team.acting(), { memberId: member.id, source: 'app' });
  await endTraining(await team.acting(), trainingId);
  return { team, member };
};

it('has the entries that the app shows, the newest first or the oldest, but of an endpoint’s URL not the query', async () => {
  const { team } = await aBusyTeam();
  const entries = await read(team);
  const shown = (await (await inTheApp(team)).audit.list({ limit: 200 })).data;
  expect(JSON.stringify(shown)).toContain('token=secret');
  expect(entries).toEqual(JSON.parse(JSON.stringify(shown).replaceAll('token=secret', '…')));
  expect(entries.length).toBeGreaterThan(10);
  expect(await read(team, '&order=desc')).toEqual(entries);
  expect(await read(team, '&order=asc')).toEqual(entries.toReversed());
});

it('is filtered by action, actor and time in both orders, and a cursor is only of its filters and order', async () => {
  const { team } = await aBusyTeam();
  const all = await read(team);
  const [since, until] = [String(all[8]?.['created_at']), String(all[2]?.['created_at'])];
  const { id: key } = Object(all.find(({ actor }) => Object(actor).kind === 'key')?.['actor']);
  const isWithin = ({ created_at }: Record<string, unknown>) =>
    String(created_at) >= since && String(created_at) < until;
  const cases: [string, (entry: Record<string, unknown>) => boolean][] = [
    ['&action=member.joined', ({ action }) => action === 'member.joined'],
    [`&actor_id=${String(key)}`, ({ actor }) => Object(actor).id === key],
    [
      `&actor_id=${String(key)}&action=case.created`,
      ({ action, actor }) => Object(actor).id === key && action === 'case.created',
    ],
    [`&since=${since}&until=${until}`, isWithin],
    [
      `&action=member.joined&since=${String(all.at(-1)?.['created_at'])}&until=${until}`,
      (entry) => entry['action'] === 'member.joined' && String(entry['created_at']) < until,
    ],
    ['&action=key.revoked', () => false],
    ['&actor_id=nobody', () => false],
  ];
  for (const [query, isWanted] of cases) {
    const wanted = all.filter(isWanted);
    expect(await read(team, query), query).toEqual(wanted);
    expect(await read(team, `${query}&order=asc`), query).toEqual(wanted.toReversed());
  }
  expect(all.filter(isWithin).length).toBeGreaterThan(0);
  const { body } = await team.client.get('/audit-entries?limit=1&order=asc');
  const cursor = String(body['next_cursor']);
  for (const other of ['', '&order=asc&action=member.joined', `&order=asc&since=${since}`]) {
    const answer = await team.client.get(`/audit-entries?limit=1&cursor=${cursor}${other}`);
    expect(answer).toBeProblem('validation_error', { field: 'cursor', detail: expect.any(String) });
  }
});

it('who follows it as documented gets an entry whose transaction was long, once, after later ones', async () => {
  const team = await aTeam(service);
  const acting = await team.acting();
  const known = new Map<string, unknown>();
  let since = later(service.clock.now(), -minutesToMs(5));
  /** What a program does again and again, and what is new to it. */
  const follow = async () => {
    const start = (await team.client.get('/me')).headers.get('date') ?? '';
    const found = await read(team, `&order=asc&since=${since.toISOString()}`);
    const fresh = found.filter(({ id }) => !known.has(String(id)));
    for (const entry of fresh) known.set(String(entry['id']), entry);
    since = later(new Date(start), -minutesToMs(5));
    return fresh.map(({ action }) => action);
  };
  expect(await follow()).toContain('team.created');
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
  const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
  const long = service.database.transaction(async (tx) => {
    record(tx, acting, { action: 'team.exported', target: { type: 'team', id: team.id } });
    await tx.team.findFirst({ where: { id: team.id } });
    written();
    await mayCommit;
  });
  await isWritten;
  await team.client.post('/cases', { user_id: team.owner.user_id });
  expect(await follow()).toEqual(['case.created']);
  commit();
  await long;
  await team.client.post('/webhook-endpoints', { url: 'https://example.com/', events: ['member.joined'] });
  expect(await follow()).toEqual(['team.exported', 'webhook_endpoint.created']);
  expect(await follow()).toEqual([]);
  const all = await read(team);
  expect([...known.keys()].toSorted()).toEqual(idsIn(all).toSorted());
});

it('names nobody while member details are off, and has no entries about trainings', async () => {
  const { team, member } = await aBusyTeam();
  const addresses = [member.email, team.owner.email].map(String);
  const open = JSON.stringify(await read(team));
  for (const shown of [...addresses, String(member.user_id)]) expect(open).toContain(shown);
  await team.change({ memberDetail: false });
  const entries = await read(team);
  const text = JSON.stringify(entries);
  for (const hidden of [...addresses, String(member.user_id)]) expect(text).not.toContain(hidden);
  expect(entries.map(({ action }) => action)).not.toContain('training.ended');
  expect(entries.map(({ action }) => action)).toContain('assignment.created');
  // Another entry of the same request, or from the same address, may name the person.
  const about = entries.filter(({ target }) => ['assignment', 'case'].includes(Object(target).type));
  expect(about.length).toBeGreaterThan(1);
  for (const { request_id, address, actor } of about) {
    expect([request_id, address, Object(actor).kind === 'person' ? Object(actor).id : null]).toEqual([
      null,
      null,
      null,
    ]);
  }
  const byOwner = await read(team, `&actor_id=${team.owner.user_id}&order=asc`);
  expect(byOwner.filter(({ target }) => ['assignment', 'case'].includes(Object(target).type))).toEqual([]);
});

it('needs a scope that no template has, and that is chosen one by one', async () => {
  for (const scopes of Object.values(keyTemplates)) expect(scopes).not.toContain('audit:export');
  const team = await aTeam(service);
  const everything = await team.aClient({ scopes: keyTemplates.all });
  expect(await everything.get('/audit-entries')).toBeProblem('insufficient_scope', {
    required_scope: 'audit:export',
    detail: expect.any(String),
  });
  const exporting = await team.aClient({ scopes: ['audit:export'] });
  expect((await exporting.get('/audit-entries')).status).toBe(200);
});
