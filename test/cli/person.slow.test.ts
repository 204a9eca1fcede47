import { makeId } from '../../src/core/ids.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testSecret, useTestService } from '../support/service.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';
import { makeCli } from './cli.ts';

const service = await useTestService();
const environment = { DATABASE_URL: service.databaseUrl, APP_SECRET: testSecret };
const cli = makeCli(environment);

const membersOf = async ({ client }: TestTeam) => (await client.get('/users')).data;

/** A team that has invited the person with this address. */
const anInvitingTeam = async (email: string): Promise<TestTeam> => {
  const team = await aTeam(service);
  await team.anInvitedMember({ email });
  return team;
};

const Erased = z.strictObject({
  erased: z.literal(true),
  teams: z.array(z.strictObject({ tenant_id: z.uuid() })),
});

describe('person erase', () => {
  it('erases a person from all teams, active members too, and prints the teams', async () => {
    const email = anEmail('mia');
    const teams = [await aTeam(service), await aTeam(service)];
    for (const team of teams) await team.anActiveMember({ email });
    const said = await cli.json(Erased, ['person', 'erase', '--email', email, '--confirm', email]);
    expect(said.teams.map(({ tenant_id }) => tenant_id).toSorted()).toEqual(teams.map(({ id }) => id).toSorted());
    for (const team of teams) expect((await membersOf(team)).map(({ role }) => role)).toEqual(['owner']);
    const again = await cli.failure(['person', 'erase', '--email', email, '--confirm', email]);
    expect(again).toMatchObject({ exitCode: 1, code: 'not_found' });
  });

  it('erases a person who only waits to be invited', async () => {
    const email = anEmail('waits');
    const [team, other] = [await aTeam(service), await aTeam(service)];
    const { prisma } = service.database;
    for (const [tenantId, address] of [
      [team.id, email],
      [other.id, email],
      [other.id, anEmail('stays')],
    ] as const) {
      const now = service.clock.now();
      const row = { tenantId, id: makeId(), email: address, role: 'member', invitedBy: makeId() } as const;
      await prisma.waitingInvitation.create({ data: { ...row, dueAt: now, createdAt: now } });
    }
    expect(await cli.json(Erased, ['person', 'erase', '--email', email, '--confirm', email])).toEqual({
      erased: true,
      teams: [],
    });
    const left = await prisma.waitingInvitation.findMany({ where: { tenantId: { in: [team.id, other.id] } } });
    expect(left.map(({ tenantId }) => tenantId)).toEqual([other.id]);
    expect(JSON.stringify(await prisma.auditEntry.findMany({ where: { tenantId: team.id } }))).not.toContain(email);
  });

  it('asks for the address again on a terminal, and changes nothing for another answer or none', async () => {
    const email = anEmail('asked');
    const team = await anInvitingTeam(email);
    const command = ['person', 'erase', '--email', email];
    for (const typed of ['y\n', '\n', '']) {
      const refused = await cli.onTerminal(command, typed);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/can't be undone/) });
    }
    expect(await membersOf(team)).toHaveLength(2);
    expect((await cli.onTerminal([...command, '--confirm', email], '')).exitCode).toBe(0);
    await team.anInvitedMember({ email });
    const done = await cli.onTerminal(command, ` ${email.toUpperCase()}\nmore`);
    expect(done).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(email) });
    expect(await membersOf(team)).toHaveLength(1);
  });

  it.each([
    ['the output goes into a file', { isOutput: false }],
    ['the input comes from a pipe', { isInput: false }],
    ['neither is a terminal', { isOutput: false, isInput: false }],
  ])('does not ask if %s, as in a script: then it needs --confirm', async (_what, terminal) => {
    const email = anEmail('half');
    const team = await anInvitingTeam(email);
    const run = (...args: string[]) => cli.onTerminal(args, 'another address\n', terminal);
    const command = ['person', 'erase', '--email', email];
    for (const args of [[], ['--json'], ['--confirm', anEmail('other')]]) {
      const refused = await run(...command, ...args);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/can't be undone/) });
      expect(refused.stderr).not.toContain('Repeat the address');
    }
    expect(await membersOf(team)).toHaveLength(2);
    const done = await run(...command, '--confirm', email);
    expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(team.id) });
    expect(await membersOf(team)).toHaveLength(1);
  });

  it('is refused for the owner of a team that has not ended', async () => {
    const { owner } = await aTeam(service);
    const refused = await cli.failure(['person', 'erase', '--email', owner.email, '--confirm', owner.email]);
    expect(refused).toMatchObject({ exitCode: 1, code: 'owner', message: expect.stringMatching(/Hand it over/) });
  });
});
