import { describe, expect, it, vi } from 'vitest';
import { daysToMs, later, secondsToMs } from '../../src/core/clock.ts';
import { limits } from '../../src/core/limits.ts';
import { makeId } from '../../src/core/ids.ts';
import { allScopes, keyTemplates } from '../../src/core/scopes.ts';
import { answer } from '../../src/core/spelling.ts';
import { createKey, listKeys, makeNoteUses, revokeKey, rotateKey } from '../../src/modules/keys/service.ts';
import { keys } from '../../src/modules/keys/store.ts';
import { keyMessages, memberMessages } from '../../src/core/messages/people.ts';
import type { TeamChange } from '../../src/modules/teams/service.ts';
import { keyBudget, spend, usedOf } from '../support/budgets.ts';
import { makeClient, type Client } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });

const clientOf = ({ key }: { key: string }): Client => makeClient(service.baseUrl, key);
const statusOf = async (client: Client): Promise<number> => (await client.get('/me')).status;
const listed = async (team: TestTeam, id: string) =>
  (await answer(listKeys(await team.acting()))).find(({ key_id }) => key_id === id);
const setExpiry = (id: string, expiresAt: Date) =>
  service.database.prisma.apiKey.updateMany({ where: { id }, data: { expiresAt } });
const rotate = async (team: TestTeam, id: string, options: { graceSeconds: number; by?: string }) =>
  rotateKey(await team.acting(), id, options);

/** A key with its client, used once so that its budget exists. */
const aUsedKey = async (team: TestTeam) => {
  const { id, text } = await team.aKey();
  const client = makeClient(service.baseUrl, text);
  expect(await statusOf(client)).toBe(200);
  return { id, client };
};

describe('a change is effective for the very next request', () => {
  const changes: [
    what: string,
    code: 'unauthorized' | 'api_disabled',
    change: (team: TestTeam, id: string) => Promise<unknown>,
  ][] = [
    ['revocation', 'unauthorized', async (team, id) => revokeKey(await team.acting(), id)],
    ['expiry', 'unauthorized', (_team, id) => setExpiry(id, new Date())],
    ['rotation without grace', 'unauthorized', (team, id) => rotate(team, id, { graceSeconds: 0 })],
    ['suspension', 'api_disabled', (team) => team.change({ status: 'suspended' })],
    ['the end of the team', 'api_disabled', (team) => team.change({ status: 'ended' })],
    ['a plan without the API', 'api_disabled', (team) => team.change({ plan: 'basic' })],
  ];

  it.each(changes)(
    '%s: %s; while the key is over its limit 429, unless the key is no longer valid',
    async (_what, code, change) => {
      const team = await aTeam(service);
      const { id, client } = await aUsedKey(team);
      await spend(service, keyBudget(id), limits.requestsPerKeyPerMinute);
      expect(await client.get('/me')).toBeProblem('rate_limited');
      await change(team, id);
      expect(await client.get('/me')).toBeProblem(code === 'unauthorized' ? code : 'rate_limited');
      await spend(service, keyBudget(id), 0);
      expect(await client.get('/me')).toBeProblem(code);
    },
  );

  it.each<[TeamChange, TeamChange]>([
    [{ status: 'suspended' }, { status: 'active' }],
    [{ plan: 'basic' }, { plan: 'enterprise' }],
  ])('%j, and %j makes it valid again', async (away, back) => {
    const team = await aTeam(service);
    await team.change(away);
    expect(await team.client.get('/users')).toBeProblem('api_disabled');
    await team.change(back);
    expect((await team.client.get('/users')).status).toBe(200);
  });

  it('api_disabled is only for a valid key, comes before every check but the budget’s, and counts', async () => {
    const team = await aTeam(service);
    const { id, client } = await aUsedKey(team);
    await team.change({ status: 'suspended' });
    for (const path of ['/me', '/users', '/nowhere', '/users?limit=x'])
      expect(await client.get(path)).toBeProblem('api_disabled');
    expect(await makeClient(service.baseUrl, `${client.key}x`).get('/me')).toBeProblem('unauthorized');
    expect(await usedOf(service, keyBudget(id))).toBe(5);
  });
});

describe('rotation', () => {
  it('creates a key with the same scopes, addresses and expiry, and the old one works during the grace period', async () => {
    const team = await aTeam(service);
    const expiresAt = later(new Date(), daysToMs(20));
    const { id, text } = await team.aKey({ scopes: ['users:read'], allowedIps: ['127.0.0.0/8', '::1'], expiresAt });
    const next = await rotate(team, id, { graceSeconds: 60 });
    expect(next.key).toMatch(/^svck_live_[A-Za-z0-9]{12}_[A-Za-z0-9]{43}$/);
    const [from, to] = await Promise.all(
      [id, next.keyId].map((key) => service.database.prisma.apiKey.findFirst({ where: { id: key } })),
    );
    for (const same of ['scopes', 'allowedIps', 'name', 'createdBy'] as const) expect(to?.[same]).toEqual(from?.[same]);
    expect(to?.expiresAt).toEqual(expiresAt);
    expect([await statusOf(makeClient(service.baseUrl, text)), await statusOf(clientOf(next))]).toEqual([200, 200]);
    await setExpiry(id, new Date());
    expect([await statusOf(makeClient(service.baseUrl, text)), await statusOf(clientOf(next))]).toEqual([401, 200]);
  });

  it('ends the old key at the earlier of the grace period’s end and its own expiry', async () => {
    const team = await aTeam(service);
    const now = Date.now();
    const endOf = async (expiresIn: number | undefined, graceSeconds: number) => {
      const { id } = await team.aKey(expiresIn === undefined ? {} : { expiresAt: new Date(now + expiresIn) });
      await rotate(team, id, { graceSeconds });
      return Math.round((Date.parse((await listed(team, id))?.expires_at ?? '') - now) / 10_000) * 10;
    };
    expect(await endOf(undefined, 3_600)).toBe(3_600);
    expect(await endOf(secondsToMs(7_200), 3_600)).toBe(3_600);
    expect(await endOf(secondsToMs(1_800), 3_600)).toBe(1_800);
    expect(await endOf(undefined, limits.keyRotationGraceDays * 86_400)).toBe(limits.keyRotationGraceDays * 86_400);
  });

  it('without a grace period ends the old key even if the database’s clock is behind', async () => {
    const team = await aTeam(service);
    const { id, client } = await aUsedKey(team);
    service.clock.forward(600_000);
    await rotate(team, id, { graceSeconds: 0 });
    service.clock.forward(-600_000);
    expect(await statusOf(client)).toBe(401);
    expect((await listed(team, id))?.status).toBe('revoked');
  });

  it.each([-1, -0.5, 0.5, limits.keyRotationGraceDays * 86_400 + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses a grace period of %d seconds, and changes nothing',
    async (graceSeconds) => {
      const team = await aTeam(service);
      const { id, client } = await aUsedKey(team);
      await expect(rotate(team, id, { graceSeconds })).rejects.toMatchObject({
        code: 'validation_error',
        members: { field: 'grace_days' },
      });
      expect(await statusOf(client)).toBe(200);
      expect(await listKeys(await team.acting())).toHaveLength(2);
    },
  );

  it('is possible once: neither twice nor after the end', async () => {
    const team = await aTeam(service);
    const [twice, revoked, expired] = [await team.aKey(), await team.aKey(), await team.aKey()];
    await rotate(team, twice.id, { graceSeconds: 60 });
    await revokeKey(await team.acting(), revoked.id);
    await setExpiry(expired.id, new Date());
    for (const [{ id }, detail] of [
      [twice, keyMessages.alreadyRotated],
      [revoked, keyMessages.notActive],
      [expired, keyMessages.notActive],
    ] as const) {
      await expect(rotate(team, id, { graceSeconds: 60 })).rejects.toMatchObject({
        code: 'conflict',
        spoken: { detail },
      });
    }
  });

  it('at the same time is possible once as well', async () => {
    const team = await aTeam(service);
    const { id } = await team.aKey();
    const done = await Promise.allSettled([1, 2, 3].map(() => rotate(team, id, { graceSeconds: 60 })));
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('makes the person who rotates the creator, who must have the right; the operator does not change the creator', async () => {
    const team = await aTeam(service, { members: 1 });
    const trusted = await team.anActiveMember({ role: 'admin', rights: ['schnittstellen'] });
    const { id } = await team.aKey();
    const noAdmin = await team.anActiveMember({ rights: ['schnittstellen'] });
    for (const by of [team.members[0]?.id ?? '', noAdmin.id]) {
      await expect(rotate(team, id, { graceSeconds: 0, by })).rejects.toMatchObject({ code: 'conflict' });
    }
    const { keyId: next } = await rotate(team, id, { graceSeconds: 0, by: trusted.id });
    const { keyId: last } = await rotate(team, next, { graceSeconds: 0 });
    const keys = await service.database.prisma.apiKey.findMany({ where: { id: { in: [next, last] } } });
    expect(keys.map(({ createdBy }) => createdBy)).toEqual([trusted.id, trusted.id]);
  });
});

describe('making a key', () => {
  const make = async (team: TestTeam, options: Partial<Parameters<typeof createKey>[1]> = {}) =>
    createKey(await team.acting(), { name: 'a key', by: team.owner.member_id, scopes: ['users:read'], ...options });

  it('shows the key once and stores only its prefix and a hash', async () => {
    const team = await aTeam(service);
    const { key, keyId: id } = await make(team);
    const [, prefix = '', secret = ''] = /^svck_live_([A-Za-z0-9]{12})_([A-Za-z0-9]{43})$/.exec(key) ?? [];
    const row = await service.database.prisma.apiKey.findFirst({ where: { id } });
    expect(row?.prefix).toBe(prefix);
    expect(row?.secretHash).toHaveLength(32);
    expect(
      JSON.stringify(row, (_name, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      ),
    ).not.toContain(secret);
    const audit = await service.database.prisma.auditEntry.findFirst({
      where: { tenantId: team.id, action: 'key.created', targetId: id },
    });
    expect(JSON.stringify(audit)).not.toContain(secret);
  });

  it.each(Object.entries(keyTemplates))('from the template %s gives it exactly those scopes', async (_name, scopes) => {
    const team = await aTeam(service);
    const client = clientOf(await make(team, { scopes }));
    expect((await client.get('/me')).body['scopes']).toEqual(
      allScopes.filter((scope) => new Set<string>(scopes).has(scope)),
    );
  });

  it('stores a scope named twice once', async () => {
    const team = await aTeam(service);
    const { keyId: id } = await make(team, { scopes: ['users:read', 'users:read'] });
    expect((await listed(team, id))?.scopes).toEqual(['users:read']);
  });

  it('needs an active admin with the right for keys, or the owner', async () => {
    const team = await aTeam(service, { members: 1, admins: 1 });
    const trusted = await team.anActiveMember({ role: 'admin', rights: ['schnittstellen'] });
    const noAdmin = await team.anActiveMember({ rights: ['schnittstellen'] });
    const ended = await team.anActiveMember({ rights: ['schnittstellen'] });
    await team.client.delete(`/users/${ended.id}`);
    const invited = await team.anInvitedMember();
    const stranger = await (await aTeam(service)).anActiveMember({ rights: ['schnittstellen'] });
    expect(await make(team, { by: trusted.id })).toHaveProperty('key');
    expect(await make(team, { by: team.owner.member_id })).toHaveProperty('key');
    const conflict = (detail: object) => ({ code: 'conflict', spoken: { detail } });
    const unknown = { code: 'not_found', spoken: { detail: memberMessages.notInTeam } };
    for (const [by, refusal] of [
      [team.members[0]?.id ?? '', conflict(keyMessages.creatorNoAdmin)],
      [team.admins[0]?.id ?? '', conflict(keyMessages.creatorWithoutRight)],
      [noAdmin.id, conflict(keyMessages.creatorNoAdmin)],
      [invited.id, conflict(keyMessages.creatorNotActive)],
      [ended.id, unknown],
      [stranger.id, unknown],
      [makeId(), unknown],
      ['nobody', unknown],
    ] as const) {
      await expect(make(team, { by })).rejects.toMatchObject(refusal);
    }
  });

  it('keeps addresses in their shortest form, each once, also the widest and the narrowest networks', async () => {
    const team = await aTeam(service);
    const forms = [
      ['10.0.0.7', '10.0.0.7'],
      ['10.0.0.9/32', '10.0.0.9'],
      ['10.0.0.7/8', '10.0.0.0/8'],
      ['2001:DB8::0:1', '2001:db8::1'],
      ['2001:db8::2/128', '2001:db8::2'],
      ['2001:db8::1/0', '::/0'],
      ['::ffff:10.0.0.8', '10.0.0.8'],
      ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
      ['::ffff:0:0/96', '0.0.0.0/0'],
      ['::ffff:0:0/95', '::fffe:0:0/95'],
    ] as const;
    const { keyId } = await make(team, { allowedIps: forms.flatMap(([given]) => [given, given]) });
    const { allowedIps } = await service.database.prisma.apiKey.findFirstOrThrow({ where: { id: keyId } });
    expect(allowedIps).toEqual([...new Set(forms.map(([, kept]) => kept))]);
  });

  it.each<[string, Partial<Parameters<typeof createKey>[1]>, string]>([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an expiry in the past', { expiresAt: new Date(Date.now() - 1) }, 'expires_at'],
    ['no name', { name: ' ' }, 'name'],
    ['a name of more than 100 characters', { name: '😀'.repeat(101) }, 'name'],
    ...[
      'nonsense',
      '',
      '10.0.0',
      '10.0.0.256',
      '010.0.0.1',
      '0x0a000001',
      '167772161',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/8 ',
      '::1/129',
      'fe80::1%eth0',
      'fe80::1%eth0/64',
      '1::2::3',
      'example.com',
    ].map((ip): [string, Partial<Parameters<typeof createKey>[1]>, string] => [
      `the address ${JSON.stringify(ip)}`,
      { allowedIps: ['10.0.0.1', ip] },
      'allowed_ips',
    ]),
  ])('refuses %s', async (_what, options, field) => {
    const team = await aTeam(service);
    await expect(make(team, options)).rejects.toMatchObject({ code: 'validation_error', members: { field } });
    expect(await listKeys(await team.acting())).toHaveLength(1);
  });
});

describe('last_used_at', () => {
  it('is written in batches outside of the requests: the newest use of every key in one statement', async () => {
    const team = await aTeam(service);
    const [first, second, unused] = [await team.aKey(), await team.aKey(), await team.aKey()];
    const uses = async (text: string) => makeClient(service.baseUrl, text).get('/me');
    await uses(first.text);
    await uses(second.text);
    expect((await listed(team, first.id))?.last_used_at).toBeNull();
    const before = Date.now();
    await uses(first.text);
    await service.requestLog.write();
    const at = Date.parse((await listed(team, first.id))?.last_used_at ?? '');
    expect(at).toBeGreaterThanOrEqual(before);
    expect((await listed(team, second.id))?.last_used_at).not.toBeNull();
    expect((await listed(team, unused.id))?.last_used_at).toBeNull();
  });

  it('is written for the first use, then once a minute', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    const afterUse = async () => {
      await makeClient(service.baseUrl, text).get('/me');
      await service.requestLog.write();
      return (await listed(team, id))?.last_used_at;
    };
    const first = await afterUse();
    expect(first).not.toBeNull();
    service.clock.forward(30_000);
    expect(await afterUse()).toBe(first);
    service.clock.forward(30_000);
    expect(Date.parse((await afterUse()) ?? '')).toBeGreaterThan(Date.parse(first ?? ''));
    service.clock.forward(-60_000);
  });

  describe('of several keys and processes', () => {
    const start = Date.now();
    /** Two keys, and a process: it notes uses so many seconds after the start, and says which keys its statement has. */
    const twoKeys = async () => {
      const team = await aTeam(service);
      const [one, other] = [(await team.aKey()).id, (await team.aKey()).id];
      const aProcess = (options?: { capacity: number }) => {
        const noteUses = makeNoteUses(service.database, options);
        return async (keyIds: string[], seconds: number): Promise<string[]> => {
          const asked = vi.spyOn(keys, 'noteUses');
          await noteUses(
            keyIds.map((keyId) => ({ tenantId: team.id, keyId, at: new Date(start + secondsToMs(seconds)) })),
          );
          const sent = asked.mock.calls.flatMap(([, uses]) => uses.map(({ keyId }) => keyId));
          asked.mockRestore();
          return sent;
        };
      };
      const secondsOf = async (id: string) =>
        (Date.parse((await listed(team, id))?.last_used_at ?? '') - start) / secondsToMs(1);
      return { one, other, aProcess, secondsOf };
    };

    it('needs no statement within the minute, also for a key beside one that does', async () => {
      const { one, other, aProcess, secondsOf } = await twoKeys();
      const note = aProcess();
      expect(await note([one, one], 0)).toEqual([one, one]);
      expect(await note([one], 59)).toEqual([]);
      expect(await note([one, other], 59)).toEqual([other]);
      expect(await note([one, other], 60)).toEqual([one]);
      expect([await secondsOf(one), await secondsOf(other)]).toEqual([60, 59]);
    });

    it('is at most a minute late, whichever process has noted a use', async () => {
      const { one, aProcess, secondsOf } = await twoKeys();
      const [first, second] = [aProcess(), aProcess()];
      await first([one], 0);
      await second([one], 30);
      expect(await secondsOf(one)).toBe(0);
      await second([one], 60);
      expect(await secondsOf(one)).toBe(60);
    });

    it('is noted all the same if a process has more keys than it remembers', async () => {
      const { one, other, aProcess, secondsOf } = await twoKeys();
      const note = aProcess({ capacity: 1 });
      expect(await note([one, other], 0)).toEqual([one, other]);
      expect((await note([one, other], 1)).length).toBe(1);
      expect(await note([one, other], 60)).toEqual([one, other]);
      expect([await secondsOf(one), await secondsOf(other)]).toEqual([60, 60]);
    });
  });

  it('never goes back when another process has a later use', async () => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey();
    await makeClient(service.baseUrl, text).get('/me');
    const lastUsedAt = later(new Date(), daysToMs(1));
    await service.database.prisma.apiKey.updateMany({ where: { id }, data: { lastUsedAt } });
    await service.requestLog.write();
    expect((await listed(team, id))?.last_used_at).toBe(lastUsedAt.toISOString());
  });

  it.each<[code: string, options: { allowedIps?: string[] }, change: Parameters<TestTeam['change']>[0]]>([
    ['unauthorized', { allowedIps: ['10.0.0.1'] }, {}],
    ['api_disabled', {}, { status: 'suspended' }],
  ])('does not change for requests that are refused with %s', async (code, options, change) => {
    const team = await aTeam(service);
    const { id, text } = await team.aKey(options);
    await team.change(change);
    expect((await makeClient(service.baseUrl, text).get('/me')).body).toMatchObject({ code });
    await service.requestLog.write();
    await team.change({ status: 'active' });
    expect((await listed(team, id))?.last_used_at).toBeNull();
  });
});
