import { describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { allActions } from '../../src/modules/audit/schema.ts';
import { record, type AuditAction } from '../../src/modules/audit/service.ts';
import { endTraining, startTraining } from '../../src/modules/trainings/service.ts';
import { filesMatching } from '../support/files-matching.ts';
import { aColleague, apiInTheApp, expectRefusal, inTheApp } from '../support/app-caller.ts';
import { anAssignment, aCombination, aCatalogItem } from '../support/practice.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { makeBrowser, testPassword } from '../support/people.ts';
import { makeClient } from '../support/client.ts';
import { lastLink } from '../members/links.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService();

const auditOf = async (team: TestTeam, language: 'de' | 'en' = 'de') =>
  (await inTheApp(team, undefined, language)).audit;

const callPerson = (email: string, name: string) =>
  service.database.prisma.person.update({ where: { email }, data: { name } });

describe('audit.list', () => {
  it('shows who did what to what, newest first, with their present names', async () => {
    const team = await aTeam(service, { name: 'Vertrieb' });
    const { id: key, text } = await team.aKey();
    const member = await team.anActiveMember();
    await callPerson(team.owner.email, 'Ute Owner');
    await callPerson(member.email ?? '', 'Mia Berg');
    const api = await apiInTheApp(team, ['users:write', 'webhooks:manage']);
    await api.members.changeRole({ member_id: member.id, role: 'admin' });
    await team.anActiveMember({ role: 'admin' });
    const changed = await makeClient(service.baseUrl, text).patch(`/users/${member.id}`, { role: 'member' });
    const { data } = await (await auditOf(team)).list({ action: 'member.role_changed' });
    expect(data).toEqual([
      {
        id: expect.any(String),
        action: 'member.role_changed',
        actor: { kind: 'key', id: key, name: 'test' },
        target: { type: 'member', id: member.id, name: 'Mia Berg' },
        data: { from: 'admin', to: 'member' },
        names: {},
        request_id: changed.headers.get('x-request-id'),
        address: '127.0.0.1',
        created_at: expect.stringMatching(/Z$/),
      },
      {
        id: expect.any(String),
        action: 'member.role_changed',
        actor: { kind: 'person', id: team.owner.user_id, name: 'Ute Owner' },
        target: { type: 'member', id: member.id, name: 'Mia Berg' },
        data: { from: 'member', to: 'admin' },
        names: {},
        request_id: null,
        address: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const { data: all } = await (await auditOf(team)).list({});
    expect(all.at(-1)).toMatchObject({
      action: 'team.created',
      actor: { kind: 'operator', id: null, name: null },
      target: { type: 'team', id: team.id, name: 'Vertrieb' },
    });
  });

  it('names assignments, cases, endpoints and catalog items; people without a name and former ones by their address', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const { client } = team;
    const combination = await aCombination(service);
    await client.post('/assignments', { member_id: member.id, title: 'Preisgespräch', ...combination });
    await client.post('/cases', { user_id: member.user_id, title: 'Bäckerei' });
    await client.post('/webhook-endpoints', { url: 'https://example.com/hook', events: ['member.joined'] });
    await client.delete(`/users/${member.id}`);
    const app = await inTheApp(team);
    await app.catalog.createItem({ dimension: 'situation', name: { de: 'Kaltakquise', en: 'Cold call' } });
    const nameOf = async (target_type: 'assignment' | 'case' | 'webhook_endpoint' | 'catalog_item' | 'member') =>
      (await (await auditOf(team, 'en')).list({ target_type, limit: 1 })).data[0]?.target.name;
    expect(await nameOf('assignment')).toBe('Preisgespräch');
    expect(await nameOf('case')).toBe('Bäckerei');
    expect(await nameOf('webhook_endpoint')).toBe('https://example.com/hook');
    expect(await nameOf('catalog_item')).toBe('Cold call');
    expect(await nameOf('member')).toBe(member.email);
    const german = await (await auditOf(team)).list({ target_type: 'catalog_item' });
    expect(german.data[0]?.target.name).toBe('Kaltakquise');
  });

  it('names things by their ids in the changes: a new key, members of a handover, items of a policy', async () => {
    const team = await aTeam(service);
    const app = await inTheApp(team);
    const { id: key_id } = await team.aKey();
    const { key_id: next } = await app.keys.rotate({ key_id, grace_days: 1 });
    const successor = await team.anActiveMember();
    await callPerson(successor.email ?? '', 'Mia Berg');
    const item = await aCatalogItem(service, { dimension: 'situation', tenantId: team.id, nameDe: 'Erstgespräch' });
    await app.policy.setTeam({ block: [item], release: [] });
    await app.members.handOver({ member_id: successor.id });
    const { data } = await app.audit.list({});
    const namesOf = (action: string) => data.find((entry) => entry.action === action)?.names;
    expect(namesOf('key.rotated')).toEqual({ [next]: 'test' });
    expect(namesOf('team.handed_over')).toMatchObject({ [successor.id]: 'Mia Berg' });
    expect(namesOf('policy.team_changed')).toEqual({ [item]: 'Erstgespräch' });
  });

  it('names the thing behind every field that has ids, each in the actions that have it', async () => {
    const team = await aTeam(service, { members: 1 });
    const acting = await team.acting();
    const [member] = team.members;
    await callPerson(member?.email ?? '', 'Mia Berg');
    const user = member?.user_id ?? '';
    const key = (await team.aKey()).id;
    const item = await aCatalogItem(service, { dimension: 'situation', tenantId: team.id, nameDe: 'Erstgespräch' });
    const endpoint = await anEndpoint(service, team);
    const assignment = await anAssignment(service, team, { memberId: member?.id ?? '', title: 'Preisgespräch' });
    const target = { type: 'team', id: team.id } as const;
    const noted: [AuditAction['action'], NonNullable<AuditAction['data']>, Record<string, string>][] = [
      ['training.started', { memberId: member?.id ?? '' }, { [member?.id ?? '']: 'Mia Berg' }],
      ['case.created', { userId: user }, { [user]: 'Mia Berg' }],
      ['training.ended', { assignmentId: assignment }, { [assignment]: 'Preisgespräch' }],
      ['webhook_delivery.retried', { endpointId: endpoint }, { [endpoint]: 'https://example.com/' }],
      ['policy.team_changed', { blocked: [item], released: [] }, { [item]: 'Erstgespräch' }],
      ['policy.member_changed', { blocked: [], released: [item] }, { [item]: 'Erstgespräch' }],
      ['catalog.rules_changed', { added: [{ kind: 'only', itemId: item }], removed: [] }, { [item]: 'Erstgespräch' }],
      ['catalog.item_changed', { added: [item] }, {}],
      ['catalog.rules_changed', { added: [], removed: [{ kind: 'never', itemId: item }] }, { [item]: 'Erstgespräch' }],
      ['key.rotated', { to: key }, { [key]: 'test' }],
      ['key.created', { to: key }, {}],
      ['team.handed_over', { from: member?.id ?? '', to: key }, { [member?.id ?? '']: 'Mia Berg' }],
      ['team.handed_over', { from: key, to: member?.id ?? '' }, { [member?.id ?? '']: 'Mia Berg' }],
    ];
    for (const [action, data, names] of noted) {
      await service.database.transaction(async (tx) => record(tx, acting, { action, target, data }));
      const [newest] = (await (await auditOf(team)).list({ limit: 1 })).data;
      expect([newest?.action, newest?.names], JSON.stringify(data)).toEqual([action, names]);
    }
  });

  it('tells from which address an invitation was accepted', async () => {
    const team = await aTeam(service);
    const { id, email } = await team.anInvitedMember();
    const token = await lastLink(service, email ?? '');
    const browser = makeBrowser(service);
    await browser.mutate('entrance/entrance.acceptInvitation', { token, name: 'Mia Berg', password: testPassword });
    const { data } = await (await auditOf(team)).list({ action: 'member.accepted' });
    expect(data.map(({ target, address }) => [target.id, address])).toEqual([[id, '127.0.0.1']]);
  });

  it('has the former texts of a team’s case, and none of them while member details are off', async () => {
    const team = await aTeam(service);
    const { user_id } = await team.anActiveMember();
    const { body } = await team.client.post('/cases', { user_id, title: 'Bäckerei' });
    await team.client.patch(`/cases/${String(body['id'])}`, { title: 'Konditorei', fields: { a: 1 } });
    const changes = async () => (await (await auditOf(team)).list({ action: 'case.changed' })).data[0]?.data;
    const changed = { changed: ['title', 'fields'], private: false };
    expect(await changes()).toEqual({ ...changed, before: { title: 'Bäckerei' }, after: { title: 'Konditorei' } });
    await team.change({ memberDetail: false });
    expect(await changes()).toEqual(changed);
  });

  it('hides actions on a private case until it is shared', async () => {
    const team = await aTeam(service);
    const member = await aColleague(team);
    const { ownCases } = await inTheApp(team, member);
    const { id: case_id } = await ownCases.create({ title: 'Mine alone' });
    await ownCases.change({ case_id, title: 'Still mine alone' });
    const { id: gone } = await ownCases.create({});
    await ownCases.remove({ case_id: gone });
    const listed = async () => {
      const app = await inTheApp(team);
      const { latest } = await app.overview.show({});
      const lists = [latest, (await app.audit.list({})).data, (await app.audit.list({ target_type: 'case' })).data];
      lists.push((await app.audit.list({ target_type: 'case', target_id: case_id })).data);
      lists.push((await app.audit.list({ action: 'case.created' })).data);
      return lists.flat().filter(({ target }) => target.type === 'case');
    };
    expect(await listed()).toEqual([]);
    await ownCases.share({ case_id });
    const shared = await listed();
    expect(new Set(shared.map(({ action, target }) => [action, target.name].join()))).toEqual(
      new Set(['case.shared,Still mine alone']),
    );
    expect(shared).toHaveLength(4);
    const { client } = team;
    await client.patch(`/cases/${case_id}`, { title: 'Ours' });
    await client.delete(`/cases/${case_id}`);
    expect((await listed()).map(({ action }) => action).slice(0, 3)).toEqual([
      'case.deleted',
      'case.changed',
      'case.shared',
    ]);
  });

  it('filters by action, actor, target and time, and pages within the filter alone', async () => {
    const team = await aTeam(service, { members: 5 });
    const audit = await auditOf(team);
    const { data: joined } = await audit.list({ action: 'member.joined' });
    expect(joined).toHaveLength(5);
    const first = await audit.list({ action: 'member.joined', limit: 2 });
    const rest = await audit.list({ action: 'member.joined', cursor: first.next_cursor ?? '' });
    expect([...first.data, ...rest.data]).toEqual(joined);
    expect(rest.next_cursor).toBeNull();
    await expectRefusal(audit.list({ cursor: first.next_cursor ?? '' }), {
      code: 'validation_error',
      members: { field: 'cursor' },
    });
    const [, target] = joined;
    expect((await audit.list({ target_type: 'member', target_id: target?.target.id ?? '' })).data).toEqual([target]);
    expect((await audit.list({ target_id: target?.target.id ?? '' })).data).toEqual([target]);
    expect((await audit.list({ target_type: 'key', target_id: target?.target.id ?? '' })).data).toEqual([]);
    expect((await audit.list({ actor_kind: 'key' })).data).toEqual([]);
    expect((await audit.list({ actor_kind: 'operator', action: 'member.joined' })).data).toEqual(joined);

    const [since, until] = [joined[3]?.created_at ?? '', joined[1]?.created_at ?? ''];
    const between = await audit.list({ action: 'member.joined', since, until });
    const within = joined.filter(({ created_at }) => created_at >= since && created_at < until);
    expect(between.data).toEqual(within);
    expect(within.length).toBeLessThan(joined.length);
  });

  it('does not name trained members while member details are off, nor the members of assignments and cases', async () => {
    const team = await aTeam(service);
    const member = await aColleague(team);
    const acting = { ...(await team.acting()), actor: { kind: 'person' as const, userId: member.userId } };
    const api = await apiInTheApp(team, ['assignments:write', 'cases:write']);
    const combination = await aCombination(service);
    const { id: assignmentId } = await api.assignments.create({
      member_id: member.memberId,
      title: 'Practise',
      ...combination,
    });
    await api.cases.create({ user_id: member.userId, title: 'A case' });
    const started = await startTraining(acting, {
      memberId: member.memberId,
      source: 'app',
      assignmentId,
    });
    await endTraining(acting, started.trainingId);

    const audit = await auditOf(team);
    const kinds = (entries: { action: string }[]) => new Set(entries.map(({ action }) => action));
    const open = (await audit.list({})).data;
    expect(kinds(open)).toContain('training.ended');
    expect(JSON.stringify(open)).toContain(member.userId);

    await team.change({ memberDetail: false });
    const { data } = await (await auditOf(team)).list({});
    expect([...kinds(data)].filter((action) => action.startsWith('training.'))).toEqual([]);
    const about = data.filter(({ target }) => ['assignment', 'case'].includes(target.type));
    expect(kinds(about)).toEqual(new Set(['assignment.created', 'assignment.changed', 'case.created']));
    for (const { actor, data, request_id } of about) {
      expect(request_id).toBeNull();
      expect(actor).toEqual({ kind: 'person', id: null, name: null });
      expect(Object.keys(data)).not.toContain('member_id');
      expect(Object.keys(data)).not.toContain('user_id');
    }
    expect((await (await auditOf(team)).list({ target_id: started.trainingId })).data).toEqual([]);
    // A filter by actor would say whose assignment and case it is.
    await (await inTheApp(team)).keys.create({ name: 'x', template: 'all' });
    const byOwner = { actor_kind: 'person', actor_id: team.owner.user_id } as const;
    const { data: acts } = await (await auditOf(team)).list(byOwner);
    expect(acts.filter(({ target }) => ['assignment', 'case'].includes(target.type))).toEqual([]);
    expect(acts.map(({ action }) => action)).toEqual(['key.created']);
  });

  it('hides, while member details are off, which assignments a removal revoked', async () => {
    const team = await aTeam(service);
    const member = await team.anActiveMember();
    const combination = await aCombination(service);
    const give = { member_id: member.id, title: 'Practise', ...combination };
    const [, { body: second }] = [
      await team.client.post('/assignments', give),
      await team.client.post('/assignments', give),
    ];
    const change = { status: 'revoked' };
    expect((await team.client.patch(`/assignments/${String(second['id'])}`, change)).status).toBe(200);
    await team.client.delete(`/users/${member.id}`);
    const revocations = async () => (await (await auditOf(team)).list({ action: 'assignment.changed' })).data;
    const removal = async () => (await (await auditOf(team)).list({ action: 'member.removed' })).data[0];
    expect(await revocations()).toMatchObject([
      { data: { to: 'revoked', member_removed: true }, request_id: (await removal())?.request_id },
      { target: { id: second['id'] } },
    ]);
    expect(await removal()).toMatchObject({ request_id: expect.any(String), data: { assignments_revoked: 1 } });

    await team.change({ memberDetail: false });
    expect(await revocations()).toMatchObject([{ target: { id: second['id'] }, request_id: null }]);
    expect(await removal()).toMatchObject({ target: { id: member.id }, data: { role: 'member' } });
    expect(await removal()).not.toHaveProperty('data.assignments_revoked');
  });
});

describe('audit.actions', () => {
  it('has texts for every action, in both languages', async () => {
    const team = await aTeam(service);
    const [german, english] = [await (await auditOf(team)).actions({}), await (await auditOf(team, 'en')).actions({})];
    expect(german.actions.map(({ action }) => action)).toEqual(allActions);
    expect(german.actions).toContainEqual({ action: 'key.created', label: 'Schlüssel angelegt' });
    expect(english.actions).toContainEqual({ action: 'key.created', label: 'Key created' });
    for (const { actions } of [german, english]) {
      expect(new Set(actions.map(({ label }) => label)).size).toBe(actions.length);
    }
  });

  it('lists no action that is never recorded', async () => {
    const texts: string[] = [];
    for await (const file of filesMatching('src/modules/**/*.ts')) {
      if (!file.endsWith('audit/actions.ts')) texts.push(await readFile(file, 'utf8'));
    }
    const code = texts.join('\n');
    // The sweep composes these names: `webhook_endpoint.${kind}`.
    const made = new Set(['webhook_endpoint.warned', 'webhook_endpoint.paused']);
    expect(allActions.filter((action) => !made.has(action) && !code.includes(`'${action}'`))).toEqual([]);
  });
});
