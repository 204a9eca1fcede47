import { glob, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvOf } from '../../src/server/app/csv.ts';
import { csvLists } from '../../src/server/app/csv-lists.ts';
import type { CsvListName } from '../../src/server/app/csv-lists.ts';
import { newId } from '../../src/core/ids.ts';
import { refusalFor, scopesOfRole } from '../../src/modules/sign-ins/service.ts';
import { inTheApp } from '../support/app-caller.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { openBrowser } from '../support/browser-session.ts';
import { aSignedInPerson, testPassword } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { anEmail, aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const aSignedInOwner = async (): Promise<{ team: TestTeam; browser: BrowserSession }> => {
  const team = await aTeam(service, { ownerEmail: anEmail('owner'), ownerPassword: testPassword });
  const browser = openBrowser(service);
  expect((await browser.signIn(team.owner.email, testPassword)).status).toBe(200);
  return { team, browser };
};

const download = (browser: BrowserSession, list: string, team: TestTeam, input: object = {}, language = 'de') =>
  browser.fetch(`/trpc/csv/${list}?input=${encodeURIComponent(JSON.stringify(input))}`, {
    headers: { 'X-Team': team.id, 'Accept-Language': language },
  });

const linesOf = (text: string): string[] => text.replace('\uFEFF', '').trimEnd().split('\r\n');

/** Inputs of lists that need an id. */
const inputs: Partial<Record<CsvListName, object>> = {
  deliveries: { endpoint_id: newId() },
  crm_runs: { connection_id: newId() },
};

const allNames = Object.keys(csvLists).filter((name): name is CsvListName => Object.hasOwn(csvLists, name));

describe('a list as CSV', () => {
  it('is offered where the app shows the list, for every list', async () => {
    const offered = new Set<string>();
    for await (const file of glob('src/web/pages/**/*.tsx')) {
      const source = await readFile(file, 'utf8');
      const names = [...source.matchAll(/csv=\{\{ list: '(\w+)'/g)].flatMap(([, name]) => name ?? []);
      for (const name of names) offered.add(name);
      const advice = `${file} has a list with pages (more={…}) that is not offered as a file: give its table csv={{ list, input }}, with a list of src/server/app/csv-lists.ts`;
      if (source.includes('more={')) expect(names.length, advice).toBeGreaterThan(0);
    }
    expect([...offered].toSorted()).toEqual(allNames.toSorted());
  });

  it('has the rows of the list in its order, page after page, with its filters', async () => {
    const { team, browser } = await aSignedInOwner();
    await service.database.prisma.$executeRaw`
      insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
      select ${team.id}::uuid, gen_random_uuid(), 'service', 'key.revoked', 'key', jsonb_build_object('n', n), now() - n * interval '1 second'
        from generate_series(1, 450) as n`;
    const answer = await download(browser, 'audit', team, { action: 'key.revoked', limit: 3, cursor: 'x' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''Protokoll-\d{4}-\d\d-\d\d\.csv$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const [heading, ...rows] = linesOf(bytes.toString());
    expect(heading).toMatch(/^Zeit;Aktion;Bezeichnung;/);
    expect(rows).toHaveLength(450);
    expect(rows[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z;key\.revoked;Schlüssel widerrufen;service;;/);
    expect(rows.map((row) => Number(/""n"":(\d+)/.exec(row)?.[1] ?? 0))).toEqual(
      Array.from({ length: 450 }, (_, n) => n + 1),
    );
    expect(await (await download(browser, 'audit', team, {}, 'en')).text()).toMatch(/^Time,Action,Label,/);
  });

  it('names people and items, and contains no formula', async () => {
    const { team, browser } = await aSignedInOwner();
    await service.database.prisma.person.update({ where: { email: team.owner.email }, data: { name: 'Mia Berg' } });
    const user_id = team.owner.user_id;
    await team.client.post('/cases', { user_id, title: '=1+1', fields: { size: 1.5 } });
    const [, row] = linesOf(await (await download(browser, 'cases', team)).text());
    expect(row).toMatch(/^[0-9a-f-]{36};'=1\+1;Mia Berg;;"\{""size"":1\.5\}";;\d{4}-/);
  });

  it('has the names of what an entry of the audit log changed', async () => {
    const { team, browser } = await aSignedInOwner();
    const { id: key_id } = await team.aKey();
    const { key_id: next } = await (await inTheApp(team)).keys.rotate({ key_id, grace_days: 1 });
    const text = await (await download(browser, 'audit', team, { action: 'key.rotated' })).text();
    expect(text).toContain(`""to"":""test (${next})""`);
  });

  it('has the order that the app has chosen', async () => {
    const { team, browser } = await aSignedInOwner();
    for (const name of ['beta 2', 'Alpha', 'beta 10']) {
      await (await inTheApp(team)).keys.create({ name, scopes: ['catalog:read'] });
    }
    const namesIn = async (order: string) =>
      linesOf(await (await browser.fetch(`/trpc/csv/keys?order=${order}`, { headers: { 'X-Team': team.id } })).text())
        .slice(1)
        .map((line) => line.split(';')[1]);
    expect(await namesIn('name')).toEqual(['Alpha', 'beta 2', 'beta 10', 'test']);
    expect(await namesIn('-name')).toEqual(['test', 'beta 10', 'beta 2', 'Alpha']);
    const unknown = await browser.fetch('/trpc/csv/keys?order=secret', { headers: { 'X-Team': team.id } });
    expect(unknown.status).toBe(422);
  });

  it('is only for people who may see the list', async () => {
    const { team, browser } = await aSignedInOwner();
    const member = await aSignedInPerson(service, team);
    const refused: string[] = [];
    for (const name of allNames) {
      const input = inputs[name];
      const { status } = await download(browser, name, team, input);
      expect({ name, status }).toEqual({ name, status: name === 'deliveries' ? 404 : 200 });
      if ((await download(member.browser, name, team, input)).status === 403) refused.push(name);
    }
    expect(refused.toSorted()).toEqual(
      allNames
        .filter((name) => !['own_trainings', 'own_assignments', 'own_cases', 'leaderboard'].includes(name))
        .toSorted(),
    );
    expect((await download(browser, 'unknown', team)).status).toBe(404);
    expect((await download(openBrowser(service), 'members', team)).status).toBe(401);
    // Without the header that pages of other sites can't send.
    expect((await browser.fetch('/trpc/csv/members')).status).toBe(401);
    expect((await download(browser, 'members', team, { role: 'nobody' })).status).toBe(422);
  });

  it('hides individual data while that is switched off', async () => {
    const { team, browser } = await aSignedInOwner();
    await team.change({ memberDetail: false });
    const refused = await download(browser, 'trainings', team);
    expect([refused.status, (await refused.text()).includes('privacy_restricted')]).toEqual([403, true]);
    expect((await download(browser, 'cases', team)).status).toBe(403);
  });

  it('ends when its reader loses the right to it', async () => {
    const { team } = await aSignedInOwner();
    await service.database.prisma.$executeRaw`
      insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
      select ${team.id}::uuid, gen_random_uuid(), 'service', 'team.changed', 'team', '{}', now() from generate_series(1, 300)`;
    const acting = await team.acting();
    let role: 'owner' | 'member' = 'owner';
    const contexts = async () => {
      const person = { memberId: team.owner.member_id, userId: team.owner.user_id, role, rights: [] };
      const ctx = { team: acting, language: 'de' as const };
      return {
        person: {
          ...ctx,
          person,
          hasFreshProof: false,
          refusalOf: (need: 'member' | 'admin' | 'keys' | 'owner') => refusalFor(person, need),
        },
        key: { ...ctx, principal: { kind: 'person' as const, scopes: scopesOfRole[role] } },
      };
    };
    const text = csvOf(csvLists.audit, { input: {} }, { contexts, language: 'de' });
    await text.next();
    expect(linesOf(String((await text.next()).value))).toHaveLength(200);
    role = 'member';
    await expect(text.next()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
