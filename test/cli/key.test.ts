import { describe, expect, it } from 'vitest';
import { keyTemplates } from '../../src/core/scopes.ts';
import { cliOnDatabase } from './on-database.ts';
import { Keys, RevokedKey, ShownKey } from './shapes.ts';

const cli = await cliOnDatabase();

const aTeamThatMakesKeys = async (...flags: string[]) => {
  const { tenant_id, owner } = await cli.aTeam(...flags);
  const create = ['key', 'create', '--team', tenant_id, '--name', 'CRM sync', '--by', owner.member_id];
  const aKey = (...more: string[]) =>
    cli.json(ShownKey, [...create, ...(more.length > 0 ? more : ['--template', 'all'])]);
  const keys = () => cli.json(Keys, ['key', 'list', '--team', tenant_id]);
  return { tenant_id, owner, create, aKey, keys };
};

describe('key create', () => {
  it('shows the key once and lists it without its secret, newest first', async () => {
    const { aKey, keys } = await aTeamThatMakesKeys();
    const first = await aKey('--scopes', 'users:read, cases:read');
    const second = await aKey('--template', 'read_only', '--expires', '2099-01-31T12:00:00+02:00');
    const [newest, oldest] = await keys();
    expect(newest).toMatchObject({
      key_id: second.key_id,
      scopes: keyTemplates.read_only,
      status: 'active',
      expires_at: '2099-01-31T10:00:00.000Z',
      last_used_at: null,
    });
    expect(oldest).toMatchObject({
      key_id: first.key_id,
      name: 'CRM sync',
      scopes: ['users:read', 'cases:read'],
      expires_at: null,
    });
    expect(first.key).toContain(oldest?.prefix);
  });

  it('refuses what a rule refuses: exit code 1', async () => {
    const { create, keys } = await aTeamThatMakesKeys();
    const all = [...create, '--template', 'all'];
    const refused = { exitCode: 1, code: 'validation_error' };
    expect(await cli.failure([...all, '--ip', '10.0.0.0/33'])).toMatchObject(refused);
    expect(await cli.failure([...all, '--ip', 'everywhere'])).toMatchObject(refused);
    expect(await cli.failure([...all, '--expires', '2020-01-31T12:00:00Z'])).toMatchObject(refused);
    expect(await keys()).toEqual([]);
  });
});

describe('key revoke', () => {
  it('ends a key permanently, and may be repeated', async () => {
    const { aKey, keys } = await aTeamThatMakesKeys();
    const { key_id } = await aKey();
    expect(await cli.json(RevokedKey, ['key', 'revoke', '--key', key_id])).toEqual({ key_id, status: 'revoked' });
    await cli.json(RevokedKey, ['key', 'revoke', '--key', key_id]);
    expect(await keys()).toMatchObject([{ key_id, status: 'revoked' }]);
  });

  it('refuses an unknown key', async () => {
    for (const key of ['nonsense', '01990c1e-7a00-7000-8000-000000000001']) {
      expect(await cli.failure(['key', 'revoke', '--key', key])).toMatchObject({ exitCode: 1, code: 'not_found' });
    }
  });
});

describe('key rotate', () => {
  it('creates an equal key; the old one ends with the grace period', async () => {
    const { aKey, keys } = await aTeamThatMakesKeys();
    const old = await aKey('--scopes', 'users:read', '--expires', '2099-01-01T00:00:00Z');
    const before = Date.now();
    const next = await cli.json(ShownKey, ['key', 'rotate', '--key', old.key_id, '--grace', '3600']);
    expect(next.key).not.toBe(old.key);
    const [newer, older] = await keys();
    expect(newer).toMatchObject({
      key_id: next.key_id,
      name: 'CRM sync',
      scopes: ['users:read'],
      status: 'active',
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    expect(older).toMatchObject({ key_id: old.key_id, status: 'active' });
    const end = Date.parse(older?.expires_at ?? '') - 3_600_000;
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(Date.now());
  });
});
