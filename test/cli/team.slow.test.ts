import { describe, expect, it } from 'vitest';
import { anEmail, cliOnDatabase } from './on-database.ts';
import { Keys, Mails, ShownKey, Team, Teams } from './shapes.ts';

const cli = await cliOnDatabase();

describe('team create', () => {
  it('creates a team with its owner, whose email is stored in lower case', async () => {
    const email = anEmail('Otto.Owner');
    const { tenant_id, owner } = await cli.aTeam('--name', 'Acme', '--owner-email', email);
    expect(owner.email).toBe(email.toLowerCase());
    expect(await cli.json(Teams, ['team', 'find', tenant_id])).toEqual([
      {
        tenant_id,
        name: 'Acme',
        status: 'active',
        plan: 'team',
        seats: 10,
        rate_limit: 600,
        member_detail_enabled: true,
        leaderboard_enabled: true,
      },
    ]);
  });

  it.each([
    ['de', 'Ihr Team ist eingerichtet', 'Legen Sie ein Passwort fest'],
    ['en', 'Your team is ready', 'Set a password to sign in'],
  ])('mails the owner a link to set a password, in %s', async (language, subject, text) => {
    const { owner } = await cli.aTeam('--language', language);
    const [mail] = await cli.json(Mails, ['mail', 'list', '--limit', '1']);
    expect(mail).toMatchObject({ recipient: owner.email, kind: 'team_created', language, subject });
    expect(mail?.text).toContain(text);
    expect(mail?.text).toMatch(/http:\/\/localhost:3000\/reset-password\/\S+\n/);
  });

  it('mails an owner who has a password a link to the sign-in page instead', async () => {
    const { tenant_id, owner } = await cli.aTeam('--owner-password', 'correct horse');
    const [mail] = await cli.json(Mails, ['mail', 'list', '--limit', '1']);
    expect(mail).toMatchObject({ recipient: owner.email, kind: 'team_created' });
    expect(mail?.text).toContain(`http://localhost:3000/?team=${tenant_id}`);
    expect(mail?.text).not.toContain('reset-password');
  });

  it('accepts plan, seats, limit, language and the owner’s password', async () => {
    const flags = ['--plan', 'enterprise', '--seats', '3', '--rate-limit', '42', '--language', 'en'];
    const { tenant_id } = await cli.aTeam(...flags, '--owner-password', 'correct horse');
    const [team] = await cli.json(Teams, ['team', 'find', tenant_id]);
    expect(team).toMatchObject({ plan: 'enterprise', seats: 3, rate_limit: 42 });
  });
});

describe('a name on the command line', () => {
  it.each(['Team\nBcc: all@example.com', 'Visit https://evil.example'])(
    'is refused if the app refuses it: %j',
    async (name) => {
      const ended = await cli.run(['team', 'create', '--name', name, '--owner-email', anEmail()]);
      expect(ended.exitCode).not.toBe(0);
      expect(ended.stderr).toMatch(/single line|web or email address/);
    },
  );

  it.each(['a@b-.de', 'a@[127.0.0.1]'])(
    'must come with an address to which mail can be sent: not %s',
    async (email) => {
      const ended = await cli.run(['team', 'create', '--name', 'Nord', '--owner-email', email]);
      expect(ended.exitCode).not.toBe(0);
      expect(ended.stderr).toContain('Enter a valid email address.');
    },
  );

  it('accepts an international address and stores its canonical form', async () => {
    const { owner } = await cli.aTeam('--owner-email', 'Info@MÜNCHEN.example');
    expect(owner.email).toBe('info@xn--mnchen-3ya.example');
  });
});

describe('team set', () => {
  it('changes only the given values', async () => {
    const { tenant_id } = await cli.aTeam();
    const set = ['team', 'set', '--team', tenant_id];
    const flags = ['--status', 'suspended', '--member-detail', 'off', '--leaderboard', 'off', '--plan', 'basic'];
    const changed = await cli.json(Team, [...set, ...flags, '--seats', '7', '--rate-limit', '9']);
    expect(changed).toEqual({
      tenant_id,
      name: 'A team',
      status: 'suspended',
      plan: 'basic',
      seats: 7,
      rate_limit: 9,
      member_detail_enabled: false,
      leaderboard_enabled: false,
    });
    expect(await cli.json(Team, [...set, '--status', 'active'])).toEqual({ ...changed, status: 'active' });
    expect(await cli.json(Team, [...set, '--member-detail', 'on'])).toMatchObject({
      member_detail_enabled: true,
      seats: 7,
    });
  });

  it('refuses an unknown team, whatever the form of the id', async () => {
    for (const id of ['nonsense', '', '01990c1e-7a00-7000-8000-000000000001']) {
      expect(await cli.failure(['team', 'set', '--team', id])).toMatchObject({ exitCode: 1, code: 'not_found' });
    }
  });
});

describe('team list and find', () => {
  const idsFoundBy = async (text: string) =>
    (await cli.json(Teams, ['team', 'find', text])).map(({ tenant_id }) => tenant_id);

  it('lists all, oldest first', async () => {
    const first = await cli.aTeam();
    const second = await cli.aTeam();
    const ids = (await cli.json(Teams, ['team', 'list'])).map(({ tenant_id }) => tenant_id);
    expect(ids.slice(-2)).toEqual([first.tenant_id, second.tenant_id]);
  });

  it('finds a team by name, a member’s email, any id, a key and its prefix', async () => {
    const { tenant_id, owner } = await cli.aTeam('--name', 'Findable 100% & Söhne');
    const createKey = ['key', 'create', '--team', tenant_id, '--name', 'k', '--by', owner.member_id];
    const { key_id, key } = await cli.json(ShownKey, [...createKey, '--template', 'all']);
    const [{ prefix } = { prefix: '' }] = await cli.json(Keys, ['key', 'list', '--team', tenant_id]);
    for (const text of ['findable', '100%', 'SÖHNE', owner.email, tenant_id, owner.member_id, key_id, key, prefix]) {
      expect(await idsFoundBy(text), text).toEqual([tenant_id]);
    }
    expect(await idsFoundBy('Findable_100')).toEqual([]);
  });

  it('finds a team by either form of an international address', async () => {
    const { tenant_id } = await cli.aTeam('--owner-email', 'finden@münchen.example');
    for (const text of ['finden@münchen.example', 'Finden@MÜNCHEN.example', 'finden@xn--mnchen-3ya.example']) {
      expect(await idsFoundBy(text), text).toEqual([tenant_id]);
    }
  });

  it('prints tables for people', async () => {
    const { tenant_id } = await cli.aTeam('--name', 'Readable');
    const { exitCode, stdout } = await cli.run(['team', 'find', 'Readable']);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^tenant_id +name +status/);
    expect(stdout).toContain(`${tenant_id}  Readable  active`);
  });
});
