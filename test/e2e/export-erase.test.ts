import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eraseAll } from '../../src/modules/erasure/service.ts';
import { startDeletion } from '../../src/modules/team-deletion/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { unzip } from '../support/unzip.ts';
import { expectAccessible, hasBrowser, useApp } from './support/app.ts';

const say = {
  exportData: 'Daten exportieren',
  suspended: { de: 'Dieses Team ist gesperrt', en: 'This team is suspended' },
  deletion: /^All team data will be deleted on \d{1,2} \S+ \d{4}\./,
  ended: { de: 'Dieses Team wurde beendet', en: 'This team has ended' },
  beingDeleted: {
    de: 'Die Daten des Teams werden gerade gelöscht.',
    en: 'The team’s data is being deleted.',
  },
  privacyOff: 'Der Export ist nicht verfügbar, solange personenbezogene Daten ausgeblendet sind.',
  perKey: 'Pro API-Schlüssel',
  status: 'Status',
  former: 'Ehemalige',
  actions: 'Aktionen für A member',
  erase: 'Daten der Person löschen …',
  forGood: 'Endgültig löschen',
  begun: 'Löschung gestartet.',
  none: 'Keine ehemaligen Mitglieder',
  running: 'Laufende Löschungen: 1.',
  failed: { de: 'Ein Versuch ist fehlgeschlagen', en: 'An attempt failed' },
} as const;

describe.skipIf(!hasBrowser)('the owner', () => {
  const app = useApp();

  it('downloads all data of the team in the settings', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, `/settings?team=${team.id}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: say.exportData }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^team-export-\d{4}-\d\d-\d\d\.zip$/);
    const files = await unzip(await readFile(await download.path()));
    expect(JSON.parse(files.get('team.json') ?? '')).toMatchObject([{ id: team.id }]);
    expect(await page.getByRole('button', { name: say.exportData }).isEnabled()).toBe(true);
  });

  it.each([
    { status: 'suspended', language: 'de', width: 1440 },
    { status: 'ended', language: 'en', width: 390 },
  ] as const)('downloads the data of a team that is $status, in $language', async ({ status, language, width }) => {
    const team = await app.team();
    const admin = await app.person(team, 'admin');
    await team.change({ status });
    const name = language === 'de' ? say.exportData : 'Export data';
    const page = await app.signedIn(team.owner.email, `/?team=${team.id}`, { language, width });
    const button = page.getByRole('button', { name });
    await button.waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const files = await unzip(await readFile(await download.path()));
    expect(JSON.parse(files.get('team.json') ?? '')).toMatchObject([{ id: team.id, status }]);

    const theirs = await app.signedIn(admin.email, `/?team=${team.id}`, { language, width });
    await theirs.getByText(say[status][language]).waitFor();
    if (status === 'ended') await theirs.getByText(say.deletion).waitFor();
    expect(await theirs.getByRole('button', { name }).count()).toBe(0);
    await startDeletion(await team.acting());
    await page.reload();
    await page.getByText(say.beingDeleted[language]).waitFor();
    expect(await button.count()).toBe(0);
  });

  it('erases a former member, who disappears from the list', async () => {
    const team = await app.team();
    const mia = await app.person(team, 'member');
    await removeMember(await team.acting(), mia.member_id);
    const page = await app.signedIn(team.owner.email, `/members?team=${team.id}`, { scheme: 'dark' });
    await page.getByLabel(say.status).selectOption({ label: say.former });
    await page.getByText(mia.email).waitFor();
    await page.getByRole('button', { name: say.actions }).click();
    await page.getByRole('menuitem', { name: say.erase }).click();
    await page.getByRole('dialog').getByText(mia.email).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: say.forGood }).click();
    await page.getByText(say.begun).waitFor();
    await page.getByText(say.none).waitFor();
    await page.getByText(say.running).waitFor();
    expect(await page.getByText(say.failed.de).count()).toBe(0);

    const { prisma } = app.service.database;
    const { tenantId, id } = await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } });
    await prisma.erasure.updateMany({ where: { tenantId, id }, data: { failedAt: new Date() } });
    const english = await app.signedIn(team.owner.email, `/members?team=${team.id}`, { language: 'en' });
    await english.getByLabel(say.status).selectOption({ label: 'Former members' });
    await english.getByText(say.failed.en).waitFor();
    await expectAccessible(english);
    // The page looks again by itself.
    await page.getByText(say.failed.de).waitFor();
    await eraseAll(app.service.platform, { tenantId, id });
    await page.getByText(say.running).waitFor({ state: 'detached' });
    expect(await prisma.member.count({ where: { tenantId, id: mia.member_id } })).toBe(0);
    expect(await prisma.person.count({ where: { email: mia.email } })).toBe(0);
  });
});
