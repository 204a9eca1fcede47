import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { daysToMs, later, utcDay } from '../../src/core/clock.ts';
import { allScopes, type Scope } from '../../src/core/scopes.ts';
import { allTools } from '../../src/server/mcp/protocol.ts';
import { tools } from '../contract/rows/tools.ts';
import { aPerson } from '../support/people.ts';
import { aCoachedTeam, anAssistant, revisions, type ToolAnswer } from '../support/assistants.ts';
import { keyBudget, spend, usedOf } from '../support/budgets.ts';
import { hasClosedCells } from '../support/postgres.ts';
import { useTestService } from '../support/service.ts';
import {
  aCase,
  aCatalogItem,
  aCombination,
  anAssignment,
  anEvaluation,
  aScoredTraining,
  aTraining,
  block,
  equalScores,
  theTrainings,
} from '../support/practice.ts';
import { aTeam, manyInvited, type TestTeam } from '../support/team.ts';
import { withoutTenantFilters } from '../support/without-tenant-filters.ts';

const service = await useTestService();

const names = allTools.map(({ name }) => name);
const creating = Object.keys(tools).filter((name) => tools[name]?.creates);

const Shown = z.array(z.object({ assignment_id: z.string(), overdue: z.boolean(), member: z.unknown() }));

type Coached = Awaited<ReturnType<typeof aCoachedTeam>>;

const withKey = async (team: TestTeam, options: Parameters<TestTeam['aKey']>[0] = {}) =>
  anAssistant(service, (await team.aKey(options)).text);

describe.each(revisions)('an assistant that speaks %s', (revision) => {
  it('gets a list of every tool with a description, and can call each', async () => {
    const team = await aTeam(service);
    const { given } = await aCoachedTeam(service, team);
    const assistant = await anAssistant(service, (await team.aKey()).text, { revision });

    const listed = await assistant.tools();
    expect(listed.map(({ name }) => name)).toEqual(names);
    for (const { name, title, description, annotations } of listed) {
      expect(title).not.toBe('');
      expect(description?.length).toBeGreaterThan(80);
      expect(annotations?.readOnlyHint).toBe(!creating.includes(name));
    }
    for (const name of names) {
      const answer = await assistant.call(name, given[name]);
      expect({ name, ...answer }).toMatchObject({ name, isError: false });
      expect(JSON.parse(answer.texts[1] ?? '')).toEqual(answer.data);
    }
  });
});

describe('a tool', () => {
  it.each(allTools)(
    '$name describes what it takes and answers, without references',
    ({ inputSchema, outputSchema }) => {
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
      expect(Object.keys(Object(outputSchema['properties']))).not.toEqual([]);
    },
  );

  let team: TestTeam;
  let own: Coached;
  let foreign: Coached;
  beforeAll(async () => {
    team = await aTeam(service);
    own = await aCoachedTeam(service, team);
    foreign = await aCoachedTeam(service, await aTeam(service));
  });

  it.each(Object.entries(tools))(
    '%s works with exactly its scopes, and is neither listed nor callable without one of them',
    async (name, { scopes }) => {
      const enough = await withKey(team, { scopes });
      expect(await enough.toolNames()).toContain(name);
      expect(await enough.call(name, own.given[name])).toMatchObject({ isError: false });

      for (const missing of scopes) {
        const less = await withKey(team, { scopes: allScopes.filter((scope) => scope !== missing) });
        expect(await less.toolNames()).not.toContain(name);
        const refused = await less.call(name, own.given[name]);
        expect(refused).toMatchObject({ isError: true, data: { code: 'insufficient_scope', required_scope: missing } });
        expect(refused.texts[0]).toContain('The key lacks a scope');
      }
    },
  );

  it.each([
    ['', (call: () => Promise<ToolAnswer>) => call()],
    [', even if no statement names its team', (call: () => Promise<ToolAnswer>) => withoutTenantFilters(call)],
  ])('finds nothing by the ids of another team%s', async (how, run) => {
    const assistant = await withKey(team);
    // Citus' planner refuses some statements without a team.
    const codes = hasClosedCells() && how !== '' ? ['not_found', 'internal'] : ['not_found'];
    const { member, userId, trainingId, assignmentId, caseId } = foreign;
    for (const { name, inputSchema } of allTools) {
      const given = own.given[name];
      if (Object.hasOwn(Object(inputSchema['properties']), 'member_id')) {
        const refused = await run(() => assistant.call(name, { ...given, member_id: member.id }));
        expect({ name, ...refused }).toMatchObject({ name, isError: true, data: { code: expect.toBeOneOf(codes) } });
      }
      const { texts } = await run(() => assistant.call(name, name === 'find_member' ? {} : given));
      for (const id of [member.id, userId, trainingId, assignmentId, caseId, member.email ?? '?']) {
        expect(texts.join()).not.toContain(id);
      }
    }
  });

  it('returns no personal data while the team hides details about people', async () => {
    const hiding = await aTeam(service);
    const { member, given } = await aCoachedTeam(service, hiding);
    const assistant = await withKey(hiding);
    await hiding.change({ memberDetail: false });
    const codes: Record<string, unknown> = {};
    for (const { name } of allTools) {
      const { texts, isError, data } = await assistant.call(name, given[name]);
      expect(texts.join()).not.toContain(member.email);
      codes[name] = isError ? data['code'] : 'answered';
    }
    for (const [name, { refusedWhileHidden = false }] of Object.entries(tools)) {
      // A search by address is refused; the members are listed without addresses.
      const isRefused = refusedWhileHidden || name === 'find_member';
      expect(codes[name], name).toBe(isRefused ? 'privacy_restricted' : 'answered');
    }
    expect(await assistant.call('find_member')).toMatchObject({ isError: false });
  });

  it('shows the figures of chosen days', async () => {
    const practised = await aTeam(service);
    await aCoachedTeam(service, practised);
    const assistant = await withKey(practised);
    const sessionsOf = async (days: Record<string, string>) =>
      Object((await assistant.call('team_progress', days)).data['totals'])['sessions'];
    expect(await sessionsOf({})).toBe(1);
    expect(await sessionsOf({ since: utcDay(service.clock.now()) })).toBe(1);
    expect(await sessionsOf({ until: '2020-12-31' })).toBe(0);
  });

  it('gives several members an assignment, says who could not get it, and counts them as requests', async () => {
    const assigning = await aTeam(service, { members: 11 });
    const combination = await aCombination(service);
    const [blocked, ...others] = assigning.members.map(({ id }) => id);
    await block(service, { tenantId: assigning.id, memberId: blocked ?? '', itemId: combination.industry_id });
    const key = await assigning.aKey();
    const assistant = await anAssistant(service, key.text);
    await spend(service, keyBudget(key.id), 0);
    const foreign = (await aTeam(service)).owner.member_id;
    const wanted = { title: 'Preisgespräch', ...combination, request_key: 'once' };
    const member_ids = [foreign, ...others, blocked, others[0]];
    const first = await assistant.call('assign_practice_to_many', { member_ids, ...wanted });
    const Assigned = z.array(z.object({ member_id: z.string(), assignment_id: z.string() }));
    const assigned = Assigned.parse(first.data['assigned']);
    expect(assigned.map(({ member_id }) => member_id)).toEqual(others);
    expect(first.data['refused']).toMatchObject([
      { member_id: foreign, code: 'not_found' },
      { member_id: blocked, code: 'vorgabe_gesperrt', reason: 'A policy of the recipient blocks the industry.' },
    ]);
    expect(await usedOf(service, keyBudget(key.id))).toBe(2);
    expect((await assistant.call('assign_practice_to_many', { member_ids, ...wanted })).data).toEqual(first.data);
    const made = await service.database.prisma.assignment.findMany({ where: { tenantId: assigning.id } });
    expect(made.map(({ id }) => id).toSorted()).toEqual(assigned.map(({ assignment_id }) => assignment_id).toSorted());
  });

  it('finds members by a part of their name, address or external id, and shows all', async () => {
    const named = await aTeam(service);
    const { id, email } = await named.anActiveMember();
    await named.client.patch(`/users/${id}`, { role: 'member', external_id: 'PERS-1042' });
    await service.database.prisma.person.updateMany({ where: { email: email ?? '' }, data: { name: 'Mia Öztürk' } });
    await named.anActiveMember();
    const assistant = await withKey(named);
    for (const search of ['mia ö', (email ?? '').slice(0, -4), 'pers-10']) {
      const { data } = await assistant.call('find_member', { search });
      expect(data['members']).toMatchObject([{ member_id: id, name: 'Mia Öztürk', email, external_id: 'PERS-1042' }]);
    }
    expect((await assistant.call('member_evaluations', { member_id: id })).texts[0]).toContain('Mia Öztürk');
    await named.change({ memberDetail: false });
    expect((await assistant.call('find_member')).texts.join()).not.toMatch(/Öztürk|PERS/);
  });

  it.each(allTools)(
    '$name refuses wrong arguments and says which, to a client that has read its output schema',
    async ({ name }) => {
      const assistant = await withKey(team);
      await assistant.tools();
      const { isError, data, texts } = await assistant.call(name, { nonsense: 1 });
      const errors = expect.arrayContaining([
        expect.objectContaining({ path: ['nonsense'], code: 'unrecognized_keys' }),
      ]);
      expect({ isError, data }).toMatchObject({ isError: true, data: { code: 'validation_error', errors } });
      expect(texts[0]).toContain('nonsense: Unknown key');
    },
  );

  it('that does not exist is an error of the protocol', async () => {
    const assistant = await withKey(await aTeam(service));
    await expect(assistant.call('delete_everything')).rejects.toThrow('There is no tool with this name.');
  });

  it('answers in English, unless German is asked for', async () => {
    const { text } = await (await aTeam(service)).aKey();
    const english = await anAssistant(service, text);
    const german = await anAssistant(service, text, { headers: { 'Accept-Language': 'de' } });
    expect((await english.call('list_cases')).texts[0]).toBe('0 cases.');
    expect((await german.call('list_cases')).texts[0]).toBe('0 Fälle.');
  });
});

describe('an answer', () => {
  const isComplete = async (team: TestTeam, name: string, given: object) =>
    (await (await withKey(team)).call(name, { ...given })).data['complete'];

  it.each(['find_member', 'list_assignments', 'list_cases', 'recent_trainings'])(
    'of %s is complete with a limit of all rows, and not with one less',
    async (name) => {
      const team = await aTeam(service);
      const { userId, member } = await aCoachedTeam(service, team);
      await aCase(service, team, { userId, title: 'Another' });
      await anAssignment(service, team, { memberId: member.id });
      await aScoredTraining(service, team, { userId });
      expect(await isComplete(team, name, { limit: 2 })).toBe(true);
      expect(await isComplete(team, name, { limit: 1 })).toBe(false);
    },
  );

  interface Filling {
    add: (team: TestTeam, count: number) => Promise<unknown>;
    addOne: (team: TestTeam) => Promise<unknown>;
  }
  const members: Filling = {
    // With the owner as many.
    add: (team, count) => manyInvited(service, team, count - 1),
    addOne: (team) => team.anInvitedMember(),
  };
  const trainings: Filling = {
    add: (team, count) =>
      theTrainings(
        service,
        team,
        Array.from({ length: count }, () => ({ userId: team.owner.user_id })),
      ),
    addOne: (team) => aTraining(service, team, { userId: team.owner.user_id }),
  };

  it.each<[string, object, number, string, Filling]>([
    ['find_member', { search: 'owner' }, 600, 'members', members],
    ['who_needs_help', {}, 600, 'members', members],
    ['who_needs_help', {}, 400, 'trainings', trainings],
  ])(
    'of %s %o is complete after all of %i %s, and not if there is one more',
    async (name, given, count, _what, { add, addOne }) => {
      const team = await aTeam(service, { seats: 1_000 });
      await add(team, count);
      expect(await isComplete(team, name, given)).toBe(true);
      await addOne(team);
      expect(await isComplete(team, name, given)).toBe(false);
    },
  );
});

describe('who_needs_help', () => {
  it('lists those without practice first, then those with low scores, and their weakest dimension', async () => {
    const team = await aTeam(service);
    const idle = await aPerson(team);
    const weak = await aPerson(team);
    const good = await aPerson(team);
    const now = service.clock.now();
    const marks = (mark: number) => ({
      ...anEvaluation({ dimensions: { ...equalScores(mark), closing: 20 }, total: mark }),
      savedAt: now,
    });
    await aScoredTraining(service, team, { userId: weak.userId, evaluation: marks(40) });
    await aScoredTraining(service, team, { userId: good.userId, evaluation: marks(90) });
    const assistant = await withKey(team);

    const { data } = await assistant.call('who_needs_help');
    expect(data).toMatchObject({
      dimensions: [{ dimension: 'closing' }, {}, {}, {}, {}],
      skill_gaps: ['closing'],
      members_hidden: null,
      complete: true,
      members: [
        { member_id: team.owner.member_id, reason: 'no_practice' },
        { member_id: idle.memberId, email: idle.email, reason: 'no_practice', trainings: 0, last_score: null },
        { member_id: weak.memberId, reason: 'low_score', trainings: 1, last_score: 40, weakest_dimension: 'closing' },
      ],
    });

    await team.change({ leaderboard: false });
    const uncompared = await assistant.call('who_needs_help');
    expect(JSON.stringify(uncompared.data)).not.toContain('low_score');
  });

  it('goes by the latest score of each within the days, below sixty, the lowest first', async () => {
    const team = await aTeam(service);
    const [idle, low, lower, better] = [
      await aPerson(team),
      await aPerson(team),
      await aPerson(team),
      await aPerson(team),
    ];
    const scored = ({ userId }: { userId: string }, total: number, daysAgo: number) => {
      const at = later(service.clock.now(), -daysToMs(daysAgo));
      const evaluation = { ...anEvaluation({ dimensions: equalScores(total), total }), savedAt: at };
      return { userId, status: 'ended' as const, createdAt: at, finishedAt: at, evaluation };
    };
    await theTrainings(service, team, [
      scored(idle, 90, 8),
      scored(low, 90, 3),
      scored(low, 59, 1),
      scored(lower, 30, 2),
      scored(better, 20, 3),
      scored(better, 60, 1),
    ]);
    const ownerId = team.owner.member_id;
    const needs = async (days: number, scopes: readonly Scope[] = allScopes) => {
      const { data } = await (await withKey(team, { scopes })).call('who_needs_help', { days });
      const needing = z.array(z.object({ member_id: z.string(), trainings: z.int(), last_score: z.int().nullable() }));
      return needing.parse(data['members']).map(Object.values);
    };
    const inNeed = [
      [ownerId, 0, null],
      [idle.memberId, 0, null],
      [lower.memberId, 1, 30],
      [low.memberId, 2, 59],
    ];
    expect(await needs(7)).toEqual(inNeed);
    expect(await needs(9)).toEqual(inNeed.filter(([id]) => id !== idle.memberId));
    const withoutScores = allScopes.filter((scope) => scope !== 'evaluations:read');
    expect(await needs(7, withoutScores)).toEqual(inNeed.slice(0, 2));
  });

  it('shows only the team, and says why, while it hides details about people', async () => {
    const team = await aTeam(service);
    await aCoachedTeam(service, team);
    await team.change({ memberDetail: false });
    const { data } = await (await withKey(team)).call('who_needs_help');
    expect(data).toMatchObject({ members: null, members_hidden: 'privacy_restricted', dimensions: expect.any(Array) });
  });
});

describe('what a tool reads', () => {
  it('are the trainings of the last days, of all or of one member, in any state or one, the latest first, with names', async () => {
    const team = await aTeam(service);
    const [a, b] = [await aPerson(team, { name: 'Mia' }), await aPerson(team, { name: 'Ben' })];
    const invited = await team.anInvitedMember();
    const situationId = await aCatalogItem(service, { dimension: 'situation', nameEn: 'A talk about prices' });
    const daysAgo = (days: number) => later(service.clock.now(), -daysToMs(days));
    const ended = (days: number) => ({ status: 'ended' as const, createdAt: daysAgo(days), finishedAt: daysAgo(days) });
    const ids = await theTrainings(service, team, [
      { userId: b.userId, ...ended(15) },
      { userId: b.userId, ...ended(13) },
      { userId: a.userId, ...ended(2), situationId },
      { userId: a.userId, createdAt: daysAgo(1) },
    ]);
    const Trainings = z.array(z.object({ training_id: z.string(), member: z.unknown(), situation: z.unknown() }));
    const rows = async (given: Record<string, unknown>, scopes: readonly Scope[] = allScopes) => {
      const { data } = await (await withKey(team, { scopes })).call('recent_trainings', given);
      return Trainings.parse(data['trainings']);
    };
    const at = async (given: Record<string, unknown>) =>
      (await rows(given)).map(({ training_id: id }) => ids.indexOf(id));
    expect(await at({})).toEqual([3, 2, 1]);
    expect(await at({ days: 16 })).toEqual([3, 2, 1, 0]);
    expect(await at({ days: 1 })).toEqual([]);
    expect(await at({ status: 'ended' })).toEqual([2, 1]);
    expect(await at({ member_id: b.memberId })).toEqual([1]);
    expect(await at({ member_id: invited.id })).toEqual([]);
    const of = ({ memberId, email }: typeof a, name: string) => ({ member_id: memberId, name, email });
    const shown = await rows({ status: 'ended' });
    expect(shown.map(({ member, situation }) => [member, situation])).toEqual([
      [of(a, 'Mia'), 'A talk about prices'],
      [of(b, 'Ben'), null],
    ]);
    const few = await rows({}, ['trainings:read']);
    expect(few.map(({ member, situation }) => [member, situation])).toEqual(few.map(() => [null, null]));
  });

  it('are the latest evaluations of one member, as many as wanted', async () => {
    const team = await aTeam(service);
    const [person, other] = [await aPerson(team), await aPerson(team)];
    const invited = await team.anInvitedMember();
    const scored = (userId: string, total: number, daysAgo: number) => {
      const at = later(service.clock.now(), -daysToMs(daysAgo));
      return aScoredTraining(service, team, {
        userId,
        createdAt: at,
        finishedAt: at,
        evaluation: { ...anEvaluation({ total }), savedAt: at },
      });
    };
    for (const [total, daysAgo] of [40, 30, 20, 10].entries()) await scored(person.userId, 50 + total, daysAgo);
    await scored(other.userId, 99, 1);
    await aTraining(service, team, { userId: person.userId });
    const assistant = await withKey(team);
    const textOf = async (given: Record<string, unknown>) =>
      (await assistant.call('member_evaluations', given)).texts[0];
    expect(await textOf({ member_id: person.memberId })).toMatch(/: latest scores 53, 52, 51\.$/);
    expect(await textOf({ member_id: person.memberId, limit: 5 })).toMatch(/: latest scores 53, 52, 51, 50\.$/);
    expect(await textOf({ member_id: invited.id })).toMatch(/ has no evaluation yet\.$/);
  });

  it('are the cases of all or of one member, with the beginning of their fields', async () => {
    const team = await aTeam(service);
    const [a, b] = [await aPerson(team), await aPerson(team)];
    const invited = await team.anInvitedMember();
    const [long, longer] = [490, 491].map((length) => ({ text: 'x'.repeat(length - 1) }));
    const one = await aCase(service, team, { userId: a.userId, fields: long ?? null });
    const two = await aCase(service, team, { userId: b.userId, fields: longer ?? null });
    const assistant = await withKey(team);
    const Cases = z.array(z.object({ case_id: z.string(), details: z.string() }));
    const cases = async (given: Record<string, unknown>) =>
      Cases.parse((await assistant.call('list_cases', given)).data['cases']);
    const idsOf = async (given: Record<string, unknown>) =>
      (await cases(given)).map(({ case_id: id }) => id).toSorted();
    expect(await idsOf({})).toEqual([one, two].toSorted());
    expect(await idsOf({ member_id: b.memberId })).toEqual([two]);
    expect(await idsOf({ member_id: invited.id })).toEqual([]);
    const [whole] = await cases({ member_id: a.memberId });
    const [cut] = await cases({ member_id: b.memberId });
    expect(whole?.details).toBe(JSON.stringify(long));
    expect(cut?.details).toBe(`${JSON.stringify(longer).slice(0, 500)}…`);
    const refused = await assistant.call('create_case', { member_id: invited.id, title: 'A case' });
    expect(refused).toMatchObject({ isError: true, data: { code: 'not_found' } });
  });
});

describe('a change by a tool', () => {
  it('appears in REST and the audit log as done by the key', async () => {
    const team = await aTeam(service);
    const { member, userId, given } = await aCoachedTeam(service, team);
    const { id: keyId, text } = await team.aKey();
    const assistant = await anAssistant(service, text);

    const assigned = await assistant.call('assign_practice', given['assign_practice']);
    const { body: assignment } = await team.client.get(`/assignments/${String(assigned.data['assignment_id'])}`);
    expect(assignment).toMatchObject({ title: 'Preisgespräch', member_user_id: userId, member_email: member.email });
    const made = await assistant.call('create_case', given['create_case']);
    const { body: found } = await team.client.get(`/cases/${String(made.data['case_id'])}`);
    expect(found).toMatchObject({ title: 'Neuer Fall', user_id: userId, fields: { branche: 'Energie' } });

    const entries = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: { in: ['assignment.created', 'case.created'] } },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action, actorKind, actorId }) => [action, actorKind, actorId])).toEqual([
      ['assignment.created', 'key', keyId],
      ['case.created', 'key', keyId],
    ]);
  });

  it('is made once for a request_key, and the repeat gets the first answer', async () => {
    const team = await aTeam(service);
    const { given } = await aCoachedTeam(service, team);
    const assistant = await withKey(team);
    for (const name of creating) {
      const wanted = { ...given[name], request_key: `${name} once` };
      const first = await assistant.call(name, wanted);
      expect(await assistant.call(name, wanted)).toEqual(first);
      const other = await assistant.call(name, { ...wanted, title: 'Etwas anderes' });
      expect(other).toMatchObject({ isError: true, data: { code: 'idempotency_mismatch' } });
    }
    // Besides what the team had.
    expect(await service.database.prisma.assignment.count({ where: { tenantId: team.id } })).toBe(1 + 2);
    expect(await service.database.prisma.case.count({ where: { tenantId: team.id } })).toBe(1 + 1);
  });

  it('list_assignments finds what is open among any number that is done, and says when there is more', async () => {
    const team = await aTeam(service);
    const { member, assignmentId } = await aCoachedTeam(service, team);
    const begun = await anAssignment(service, team, { memberId: member.id, status: 'in_progress' });
    await service.database.prisma.$executeRaw`
      insert into assignment (tenant_id, id, member_id, title, status, due_date, created_at, updated_at)
      select ${team.id}::uuid, gen_random_uuid(), ${member.id}::uuid, 'Practise', 'done', '2026-01-01', now(), now()
        from generate_series(1, 700)`;
    const assistant = await withKey(team);
    const shown = async (wanted: Record<string, unknown>) => {
      const { data } = await assistant.call('list_assignments', wanted);
      return [Shown.parse(data['assignments']).map((row) => row.assignment_id), data['complete']] as const;
    };
    expect(await shown({ limit: 2 })).toEqual([[begun, assignmentId], true]);
    expect(await shown({ limit: 1 })).toEqual([[begun], false]);
    expect(await shown({ show: 'overdue' })).toEqual([[assignmentId], true]);
    const [done, complete] = await shown({ show: 'done', limit: 50 });
    expect([done?.length, complete]).toEqual([50, false]);
  });

  it('list_assignments shows open, overdue and done assignments, of all or of one member', async () => {
    const team = await aTeam(service);
    const { member, assignmentId, given } = await aCoachedTeam(service, team);
    const other = await team.anActiveMember();
    const invited = await team.anInvitedMember();
    const assistant = await withKey(team);
    const idOf = async (memberId: string) =>
      (await assistant.call('assign_practice', { ...given['assign_practice'], member_id: memberId })).data[
        'assignment_id'
      ];
    const [open, ofInvited] = [await idOf(other.id), await idOf(invited.id)];
    await team.client.patch(`/assignments/${String(open)}`, { status: 'done' });
    const shown = async (wanted: Record<string, unknown>) => {
      const { data } = await assistant.call('list_assignments', wanted);
      return Shown.parse(data['assignments']);
    };

    expect((await shown({ show: 'all' })).map((row) => row.assignment_id)).toEqual([ofInvited, open, assignmentId]);
    expect((await shown({})).map((row) => row.assignment_id)).toEqual([ofInvited, assignmentId]);
    expect(await shown({ show: 'overdue' })).toMatchObject([
      { assignment_id: assignmentId, overdue: true, member: { member_id: member.id, email: member.email } },
    ]);
    expect((await shown({ show: 'done', member_id: other.id })).map((row) => row.assignment_id)).toEqual([open]);
    expect(await shown({ member_id: invited.id })).toMatchObject([
      { assignment_id: ofInvited, overdue: false, member: { member_id: invited.id } },
    ]);
  });
});
