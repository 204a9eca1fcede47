import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anEmail, cliOnDatabase } from './on-database.ts';
import { AddedMember, Members } from './shapes.ts';

const cli = cliOnDatabase();

const Erased = z.strictObject({
  erased: z.literal(true),
  teams: z.array(z.strictObject({ tenant_id: z.uuid() })),
});

describe('person erase', () => {
  it('erases a person from all teams, active members too, and prints the teams', async () => {
    const email = anEmail('mia');
    const teams = [await cli.aTeam(), await cli.aTeam()];
    for (const { tenant_id } of teams) {
      await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email, '--active']);
    }
    const said = await cli.json(Erased, ['person', 'erase', '--email', email]);
    expect(said.teams.map(({ tenant_id }) => tenant_id).toSorted()).toEqual(
      teams.map(({ tenant_id }) => tenant_id).toSorted(),
    );
    for (const { tenant_id } of teams) {
      const members = await cli.json(Members, ['member', 'list', '--team', tenant_id]);
      expect(members.map((member) => member.role)).toEqual(['owner']);
    }
    const again = await cli.failure(['person', 'erase', '--email', email]);
    expect(again).toMatchObject({ exitCode: 1, code: 'not_found' });
  });

  it('needs only the address in its own process, as in a script', async () => {
    const email = anEmail('script');
    const { tenant_id } = await cli.aTeam();
    await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email]);
    // The pipe of a script, with a text that would be a wrong answer.
    const { exitCode, stdout, stderr } = await cli
      .processes()
      .withInput(['person', 'erase', '--email', email], 'another address\n');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(tenant_id)]);
    expect(stdout).not.toContain('[object');
    expect(stderr).not.toContain('Repeat the address');
    expect(await cli.json(Members, ['member', 'list', '--team', tenant_id])).toHaveLength(1);
  });

  it('changes nothing if --confirm repeats another address', async () => {
    const email = anEmail('anna');
    const { tenant_id } = await cli.aTeam();
    await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email]);
    const mistyped = await cli.failure(['person', 'erase', '--email', email, '--confirm', anEmail('anne')]);
    expect(mistyped).toMatchObject({ exitCode: 2, code: 'usage', message: expect.stringMatching(/--confirm/) });
    expect(await cli.json(Members, ['member', 'list', '--team', tenant_id])).toHaveLength(2);
    expect(await cli.json(Erased, ['person', 'erase', '--email', email, '--confirm', email])).toMatchObject({
      teams: [{ tenant_id }],
    });
  });

  it('asks for the address again on a terminal, and changes nothing for another answer or none', async () => {
    const email = anEmail('asked');
    const { tenant_id } = await cli.aTeam();
    await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email]);
    const command = ['person', 'erase', '--email', email];
    for (const typed of ['y\n', '\n', '']) {
      const refused = await cli.onTerminal(command, typed);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/can't be undone/) });
    }
    expect(await cli.json(Members, ['member', 'list', '--team', tenant_id])).toHaveLength(2);
    expect((await cli.onTerminal([...command, '--confirm', email], '')).exitCode).toBe(0);
    await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email]);
    const done = await cli.onTerminal(command, ` ${email.toUpperCase()}\nmore`);
    expect(done).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(email) });
    expect(await cli.json(Members, ['member', 'list', '--team', tenant_id])).toHaveLength(1);
  });

  it.each(['the output goes into a file', 'the input comes from a pipe'])(
    'does not ask if %s, as in a script: then only --confirm can stop it',
    async (what) => {
      const email = anEmail('half');
      const { tenant_id } = await cli.aTeam();
      await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email]);
      const half = what.startsWith('the output') ? { isOutput: false } : { isInput: false };
      const run = (...args: string[]) => cli.onTerminal(args, 'another address\n', half);
      const command = ['person', 'erase', '--email', email];
      const refused = await run(...command, '--confirm', anEmail('other'));
      expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/can't be undone/) });
      expect(await cli.json(Members, ['member', 'list', '--team', tenant_id])).toHaveLength(2);
      const done = await run(...command);
      expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(tenant_id) });
      expect(done.stderr).not.toContain('Repeat the address');
      expect(await cli.json(Members, ['member', 'list', '--team', tenant_id])).toHaveLength(1);
    },
  );

  it('is refused for the owner of a team that has not ended', async () => {
    const { owner } = await cli.aTeam();
    const refused = await cli.failure(['person', 'erase', '--email', owner.email]);
    expect(refused).toMatchObject({ exitCode: 1, code: 'owner', message: expect.stringMatching(/Hand it over/) });
  });
});
