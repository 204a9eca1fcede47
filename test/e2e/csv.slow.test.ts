import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { TestTeam } from '../support/team.ts';
import { downloadBy, hasBrowser, useApp } from './support/app.ts';

const csv = (page: Page) => page.getByRole('button', { name: 'CSV' });

/** The name of the file that the button saves, and its lines. */
const downloaded = async (page: Page): Promise<{ name: string; lines: string[] }> => {
  const { name, content } = await downloadBy(page, csv(page));
  const text = content.toString();
  expect(text.startsWith('\uFEFF')).toBe(true);
  return { name, lines: text.slice(1).trimEnd().split('\r\n') };
};

describe.skipIf(!hasBrowser)('a list as CSV', () => {
  const app = useApp();

  /** Adds entries to a team's audit log, with the numbers from 1, the newest first. */
  const addEntries = async (team: TestTeam, count: number): Promise<void> => {
    await app.service.database.prisma.$executeRaw`
      insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
      select ${team.id}::uuid, gen_random_uuid(), 'service', 'key.revoked', 'key', jsonb_build_object('n', n), now() - n * interval '1 second'
        from generate_series(1, ${count}::int) as n`;
  };

  it('has all rows with the filters once and in their order, waits if there were too many requests, and can be canceled', async () => {
    const team = await app.team();
    await addEntries(team, 450);
    const { id } = await team.aKey();
    await app.service.database.prisma.$executeRaw`
      insert into audit_entry (tenant_id, id, actor_kind, action, target_type, data, created_at)
      values (${team.id}::uuid, gen_random_uuid(), 'service', 'key.rotated', 'key', jsonb_build_object('to', ${id}::text), now())`;
    const page = await app.signedIn(team.owner.email, '/audit?action=key.revoked');
    let [calls, isHeld] = [0, false];
    const held = Promise.withResolvers<void>();
    await page.route(/audit\.list\?.*limit%22%3A200/, async (route) => {
      calls += 1;
      const problem = { code: 'rate_limited', status: 429, title: '', request_id: '', retry_after: 1 };
      if (calls === 1)
        return route.fulfill({ status: 429, json: { error: { message: '', code: -32_029, data: { problem } } } });
      if (isHeld && calls % 2 === 0) await held.promise;
      return route.continue();
    });
    app.expectFailures(page, 429);
    const { name, lines } = await downloaded(page);
    expect(calls).toBe(4);
    expect(name).toMatch(/^Protokoll-\d{4}-\d\d-\d\d\.csv$/);
    expect(lines[0]).toMatch(/^Aktion;/);
    expect(lines[1]).toMatch(/^Schlüssel widerrufen;key\.revoked;/);
    expect(lines.slice(1).map((line) => Number(/""n"":(\d+)/.exec(line)?.[1] ?? 0))).toEqual(
      Array.from({ length: 450 }, (_, n) => n + 1),
    );
    expect(lines.at(-1)).toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z$/);

    [calls, isHeld] = [2, true];
    const saved: unknown[] = [];
    page.on('download', (file) => saved.push(file));
    await csv(page).click();
    await page.getByText('200 Zeilen').waitFor();
    await page.getByRole('button', { name: 'Abbrechen' }).click();
    held.resolve();
    await csv(page).waitFor();
    expect([saved, calls]).toEqual([[], 4]);

    // An entry names what it is about.
    await page.goto('/audit?action=key.rotated');
    expect((await downloaded(page)).lines[1]).toContain(`""to"":""test (${id})""`);
  });

  it('names people, keeps every digit, and contains no formula', async () => {
    const team = await app.team({ ownerName: 'Mia Berg' });
    const user_id = team.owner.user_id;
    for (let count = 0; count < 3; count += 1) {
      await team.client.post('/cases', { user_id, title: `=${count}`, fields: { size: 1.5 } });
    }
    const page = await app.signedIn(team.owner.email, '/cases');
    const { lines } = await downloaded(page);
    expect(lines).toHaveLength(1 + 3);
    for (const line of lines.slice(1)) {
      expect(line).toMatch(/^[0-9a-f-]{36};'=\d+;Mia Berg;;"\{""size"":1\.5\}";;\d{4}-/);
    }
  });
});
