import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { daysToMs, later } from '../../src/core/clock.ts';
import { allScopes } from '../../src/core/scopes.ts';
import { appRouter } from '../../src/modules/app-router.ts';
import { publicRouter } from '../../src/modules/public-router.ts';
import { aPerson, aSignedInPerson, testPassword, makeBrowser } from '../support/people.ts';
import { useTestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';

const service = await useTestService();

const sessionsOf = (email: string) => service.database.prisma.session.count({ where: { person: { email } } });

describe('an open session', () => {
  it('ends at once when its person is removed from their only team', async () => {
    const team = await aTeam(service);
    const { browser, email, memberId } = await aSignedInPerson(service, team, { role: 'admin' });
    await aPerson(team, { role: 'admin' });
    expect((await browser.query('app/team.settings', {}, { team: team.id })).status).toBe(200);
    await team.client.delete(`/users/${memberId}`);
    const answer = await browser.query('app/team.settings', {}, { team: team.id });
    expect(answer.status).toBe(401);
    expect(answer.problem).toMatchObject({ code: 'unauthorized', title: 'Bitte melden Sie sich an' });
    expect(await sessionsOf(email)).toBe(0);
    expect(await browser.isSignedIn()).toBe(false);
    expect((await browser.mutate('entrance/account.changeMe', { name: 'x' })).status).toBe(401);
  });

  it('continues in the other teams of a person who is removed from one', async () => {
    const [left, kept] = [await aTeam(service), await aTeam(service)];
    const { browser, email, memberId } = await aSignedInPerson(service, left);
    await aPerson(kept, { email });
    await left.client.delete(`/users/${memberId}`);
    expect((await browser.query('app/reference.limits', {}, { team: left.id })).status).toBe(401);
    expect((await browser.query('app/reference.limits', {}, { team: kept.id })).status).toBe(200);
  });

  it('has only the rights of the person’s new role from the next call on', async () => {
    const team = await aTeam(service);
    const { browser, memberId } = await aSignedInPerson(service, team, { role: 'admin' });
    await aPerson(team, { role: 'admin' });
    const asked = { team: team.id };
    expect((await browser.query('app/members.list', {}, asked)).status).toBe(200);
    await team.client.patch(`/users/${memberId}`, { role: 'member' });
    expect((await browser.query('app/members.list', {}, asked)).problem).toMatchObject({ code: 'forbidden' });
    const invite = { email: anEmail(), role: 'member' };
    expect((await browser.mutate('api/members.invite', invite, asked)).problem).toMatchObject({
      code: 'insufficient_scope',
      required_scope: 'users:write',
      title: 'Ihnen fehlt die Berechtigung für diese Aktion',
    });
  });

  it.each(['suspended', 'ended'] as const)('finds only this out while its team is %s', async (status) => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team, { role: 'admin' });
    await team.change({ status });
    for (const path of ['app/team.settings', 'api/members.list', 'app/reference.limits']) {
      const answer = await browser.query(path, {}, { team: team.id });
      expect(answer.status).toBe(403);
      expect(answer.problem).toMatchObject({ code: 'api_disabled', title: 'Für dieses Team nicht verfügbar' });
    }
    // The person's own data stays available.
    const { endedAt } = await service.database.prisma.team.findUniqueOrThrow({ where: { id: team.id } });
    const deletion_at = endedAt && later(endedAt, daysToMs(service.platform.teamDeletionDays)).toISOString();
    expect(endedAt === null).toBe(status === 'suspended');
    const shown = { status, deletion_at, is_being_deleted: false };
    expect((await browser.query('entrance/entrance.who')).data).toMatchObject({ me: { teams: [shown] } });
    expect((await browser.query('entrance/account.sessions')).status).toBe(200);
  });
});

describe('another team', () => {
  it('can’t be used by its id: the call is treated as not signed in', async () => {
    const [own, other] = [await aTeam(service), await aTeam(service)];
    const { browser } = await aSignedInPerson(service, own, { role: 'admin' });
    for (const team of [other.id, '', 'x', own.id.toUpperCase(), `${own.id}, ${own.id}`, undefined]) {
      for (const path of ['app/team.settings', 'api/members.list']) {
        const answer = await browser.query(path, {}, { ...(team !== undefined && { team }) });
        expect(answer.status).toBe(401);
      }
    }
  });
});

const rowsOf = (router: AnyRouter): { path: string; type: string }[] =>
  Object.entries<AnyProcedure>(router._def.procedures).map(([path, { _def }]) => ({ path, type: _def.type }));

describe('a plain member', () => {
  it('gets 401 for all of it before signing in, and after signing out', async () => {
    const team = await aTeam(service);
    const { email } = await aPerson(team, { role: 'admin' });
    const browser = makeBrowser(service);
    const all = [
      ...rowsOf(appRouter).map(({ path, type }) => ({ path: `app/${path}`, type })),
      ...rowsOf(publicRouter).map(({ path, type }) => ({ path: `api/${path}`, type })),
    ];
    const expectClosed = async () => {
      for (const { path, type } of all) {
        const ask = type === 'query' ? browser.query : browser.mutate;
        expect((await ask(path, {}, { team: team.id })).status, path).toBe(401);
      }
    };
    await expectClosed();
    await browser.signIn(email, testPassword);
    const kept = new Map(browser.cookies);
    await browser.mutate('entrance/entrance.signOut');
    for (const [name, value] of kept) browser.cookies.set(name, value);
    await expectClosed();
  });

  it('has exactly the scopes of a member', async () => {
    const team = await aTeam(service);
    const { browser } = await aSignedInPerson(service, team);
    const admin = await aSignedInPerson(service, team, { role: 'admin' });
    const scopesOf = async (asking: typeof browser) =>
      (await asking.query('api/account.me', {}, { team: team.id })).data['scopes'];
    expect(await scopesOf(browser)).toEqual(['catalog:read', 'analytics:read']);
    expect(await scopesOf(admin.browser)).toEqual(allScopes);
  });
});
