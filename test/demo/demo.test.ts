import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { cliOnDatabase } from '../cli/on-database.ts';
import { Demo, Keys, Mails, Members, Teams } from '../cli/shapes.ts';
import type { z } from 'zod';

const cli = cliOnDatabase();
const file = join(cli.folder, 'demo.json');
const demo = (more?: Record<string, string>) => cli.json(Demo, ['demo'], more);

let made: z.output<typeof Demo>[] = [];

beforeAll(async () => {
  // Two processes of their own, and this one.
  made = await Promise.all([cli.processes(), cli.processes(), cli].map((one) => one.json(Demo, ['demo'])));
});

const [NORDLICHT, HARBOUR] = ['Nordlicht Energie Vertrieb', 'Harbour & Finch Software'];

describe('demo', () => {
  it('is created once, even by several processes at the same time', async () => {
    const [first, ...others] = made;
    for (const other of others) expect(other).toEqual(first);
    expect(await demo()).toEqual(first);
    expect((await cli.json(Teams, ['team', 'list'])).map(({ name }) => name)).toEqual([NORDLICHT, HARBOUR]);
  });

  it('stores its keys and passwords in a file only for its owner', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ ...made[0] });
  });

  it('is refused in production', async () => {
    const production = { NODE_ENV: 'production', APP_SECRET: 'x'.repeat(32), PUBLIC_URL: 'https://trainer.example' };
    const failure = await cli.failure(['demo'], production);
    expect(failure).toMatchObject({ exitCode: 1, code: 'configuration' });
    expect(failure.message).toContain('production');
  });

  it('has the service’s URL: the configured one, or the last one', async () => {
    const { base_url, app_url } = await demo();
    expect({ base_url, app_url }).toEqual({
      base_url: 'http://localhost:3000/api/public/v1',
      app_url: 'http://localhost:3000',
    });
    const trainer = 'https://trainer.example';
    expect(await demo({ PUBLIC_URL: trainer })).toMatchObject({
      base_url: `${trainer}/api/public/v1`,
      app_url: trainer,
    });
    expect(await demo({ PORT: '0' })).toMatchObject({ app_url: trainer });
    expect(await demo({ PORT: '3100' })).toMatchObject({ app_url: 'http://localhost:3100' });
  });
});

describe('the demo teams', () => {
  const membersOf = async (name: string) => {
    const team = made[0]?.teams.find((candidate) => candidate.name === name);
    return cli.json(Members, ['member', 'list', '--team', team?.tenant_id ?? '']);
  };

  it('are a large one that shows everything and a small one that hides individual data', async () => {
    expect(await cli.json(Teams, ['team', 'list'])).toMatchObject([
      { name: NORDLICHT, plan: 'enterprise', member_detail_enabled: true, leaderboard_enabled: true, rate_limit: 6000 },
      { name: HARBOUR, member_detail_enabled: false, rate_limit: 6000 },
    ]);
    expect(await membersOf(NORDLICHT)).toHaveLength(25);
    expect(await membersOf(HARBOUR)).toHaveLength(8);
  });

  it('have an owner, admins with and without the right to make keys, and invited people', async () => {
    const [owner, ...people] = await membersOf(NORDLICHT);
    expect(owner).toMatchObject({ role: 'owner', ...idAndEmail(made[0]?.teams[0].owner) });
    const active = people.filter(({ role, status }) => role === 'admin' && status === 'active');
    expect(new Set(active.map(({ rights }) => rights.join()))).toEqual(new Set(['schnittstellen', '']));
    expect(people.filter(({ status }) => status === 'invited').length).toBeGreaterThan(0);
    for (const { email } of people) expect(email).toMatch(/^[a-z]+\.[a-z]+@nordlicht-energie\.example$/);
  });

  it('have a key with all scopes and one for reading', async () => {
    for (const { tenant_id, keys } of made[0]?.teams ?? []) {
      const listed = await cli.json(Keys, ['key', 'list', '--team', tenant_id]);
      const scopesOf = (key: string) => listed.find(({ prefix }) => key.includes(prefix))?.scopes;
      expect(scopesOf(keys.all)).toContain('webhooks:manage');
      expect(scopesOf(keys.read_only)?.every((scope) => scope.endsWith(':read'))).toBe(true);
      expect(listed).toHaveLength(2);
    }
  });

  it('caused no mail', async () => {
    expect(await cli.json(Mails, ['mail', 'list'])).toEqual([]);
  });
});

const idAndEmail = (owner: { member_id: string; email: string } | undefined) => ({
  member_id: owner?.member_id,
  email: owner?.email,
});

describe('a demo file that does not match', () => {
  it('of another database: new teams are created here', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const kept = readFileSync(file);
    const elsewhere = await demo({ DATABASE_URL: database.url });
    expect(elsewhere.teams[0].tenant_id).not.toBe(made[0]?.teams[0].tenant_id);
    writeFileSync(file, kept);
    expect((await demo()).teams).toEqual(made[0]?.teams);
  });

  it('that is lost or broken: new teams are created, with new people', async () => {
    for (const spoil of [() => rmSync(file), () => writeFileSync(file, '{"teams": [')]) {
      spoil();
      const [again] = (await demo()).teams;
      expect(again.name).toBe(NORDLICHT);
      expect(again.owner.email).not.toBe(made[0]?.teams[0].owner.email);
    }
    expect(await cli.json(Teams, ['team', 'find', NORDLICHT])).toHaveLength(3);
  });
});

describe('after a demo team was deleted', () => {
  it('only that team is created again', async () => {
    const [large, small] = (await demo()).teams;
    const before = await cli.json(Teams, ['team', 'find', NORDLICHT]);
    const gone = await cli.run(['team', 'delete', '--team', small.tenant_id, '--confirm', HARBOUR]);
    expect(gone.exitCode).toBe(0);
    const { teams } = await demo();
    expect(teams[0]).toEqual(large);
    expect(teams[1].name).toBe(HARBOUR);
    expect(teams[1].tenant_id).not.toBe(small.tenant_id);
    expect(await cli.json(Teams, ['team', 'find', NORDLICHT])).toEqual(before);
  });
});
