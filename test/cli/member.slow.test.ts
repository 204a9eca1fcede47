import { describe, expect, it } from 'vitest';
import { anEmail, cliOnDatabase } from './on-database.ts';
import { AddedMember, Link, Mails, Members } from './shapes.ts';

const cli = await cliOnDatabase();

describe('member add', () => {
  it('invites by mail, which the mail list shows with its link', async () => {
    const { tenant_id } = await cli.aTeam('--language', 'en');
    const email = anEmail('mia');
    const added = await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', email]);
    expect(added.user_id).toBeNull();

    const members = await cli.json(Members, ['member', 'list', '--team', tenant_id]);
    expect(members[1]).toEqual({
      ...added,
      email,
      external_id: null,
      role: 'member',
      status: 'invited',
      rights: [],
      joined_at: null,
    });

    const [mail] = await cli.json(Mails, ['mail', 'list']);
    expect(mail).toMatchObject({ recipient: email, kind: 'invitation', language: 'en', sent_at: null, error: null });
    expect(mail?.text).toMatch(/http:\/\/localhost:3000\/invitations\/[\w-]{117}\n/);
    expect((await cli.run(['mail', 'list'])).stdout).toContain(mail?.text.trim());
    expect(await cli.json(Mails, ['mail', 'list', '--limit', '1'])).toHaveLength(1);
  });

  it('with --active adds an active member at once, without a mail', async () => {
    const { tenant_id } = await cli.aTeam();
    const before = await cli.json(Mails, ['mail', 'list']);
    const email = anEmail('ada');
    const add = ['member', 'add', '--team', tenant_id, '--email', email, '--active'];
    const flags = ['--role', 'admin', '--password', 'correct horse', '--rights', 'schnittstellen'];
    const added = await cli.json(AddedMember, [...add, ...flags]);
    expect(added.user_id).not.toBeNull();

    const [owner, member] = await cli.json(Members, ['member', 'list', '--team', tenant_id]);
    expect(owner).toMatchObject({ role: 'owner', status: 'active' });
    expect(member).toMatchObject({ ...added, email, role: 'admin', status: 'active', rights: ['schnittstellen'] });
    expect(await cli.json(Mails, ['mail', 'list'])).toEqual(before);
  });

  it('gives an admin the right for API keys by its English name, too', async () => {
    const { tenant_id } = await cli.aTeam();
    const add = ['member', 'add', '--team', tenant_id, '--email', anEmail('dev'), '--role', 'admin'];
    await cli.json(AddedMember, [...add, '--rights', 'api-keys']);
    const [, member] = await cli.json(Members, ['member', 'list', '--team', tenant_id]);
    expect(member).toMatchObject({ role: 'admin', rights: ['schnittstellen'] });
  });

  it('accepts a person who is in another team already', async () => {
    const [one, other] = [await cli.aTeam(), await cli.aTeam()];
    const flags = ['--email', one.owner.email, '--active'];
    const added = await cli.json(AddedMember, ['member', 'add', '--team', other.tenant_id, ...flags]);
    expect(added.user_id).not.toBe(one.owner.user_id);
  });

  it('refuses a known email and a team without a free seat', async () => {
    const { tenant_id, owner } = await cli.aTeam('--seats', '2');
    const add = ['member', 'add', '--team', tenant_id, '--email'];
    const known = owner.email.toUpperCase();
    const conflict = { exitCode: 1, code: 'conflict' };
    expect(await cli.failure([...add, known])).toMatchObject(conflict);
    expect(await cli.failure([...add, known, '--active'])).toMatchObject(conflict);
    await cli.json(AddedMember, [...add, anEmail(), '--active']);
    const full = { exitCode: 1, code: 'seat_limit_reached' };
    expect(await cli.failure([...add, anEmail()])).toMatchObject(full);
    expect(await cli.failure([...add, anEmail(), '--active'])).toMatchObject(full);
  });
});

describe('member password', () => {
  it('creates a link with the service’s URL', async () => {
    const { tenant_id, owner } = await cli.aTeam();
    const args = ['member', 'password', '--team', tenant_id, '--member', owner.member_id];
    const { link } = await cli.json(Link, args, { PUBLIC_URL: 'https://trainer.example' });
    expect(link).toMatch(/^https:\/\/trainer\.example\/reset-password\/./);
  });

  it('refuses people without a password, and people who are not in this team', async () => {
    const { tenant_id } = await cli.aTeam();
    const stranger = await cli.aTeam();
    const invited = await cli.json(AddedMember, ['member', 'add', '--team', tenant_id, '--email', anEmail()]);
    const args = ['member', 'password', '--team', tenant_id, '--member'];
    expect(await cli.failure([...args, invited.member_id])).toMatchObject({ exitCode: 1, code: 'conflict' });
    expect(await cli.failure([...args, stranger.owner.member_id])).toMatchObject({ exitCode: 1, code: 'not_found' });
    expect(await cli.failure([...args, 'nonsense'])).toMatchObject({ exitCode: 1, code: 'not_found' });
  });
});
