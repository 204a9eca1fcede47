import { describe, expect, it } from 'vitest';
import { eraseAll } from '../../src/modules/erasure/service.ts';
import { startDeletion } from '../../src/modules/team-deletion/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { aStoredProvider } from '../support/people.ts';
import { unzip } from '../export/unzip.ts';
import {
  downloadBy,
  expectAccessible,
  goWithin,
  hasBrowser,
  passTimeUntil,
  useApp,
  typeToConfirm,
  filterBy,
} from './support/app.ts';

const say = {
  exportData: 'Daten exportieren',
  running: 'Laufende Löschungen: 1.',
  failed: 'Ein Versuch ist fehlgeschlagen',
  comesBack: /mit dem Firmenkonto wieder beitreten, bis ihr Konto beim Anbieter geschlossen ist/,
} as const;

describe.skipIf(!hasBrowser)('the owner', () => {
  const app = useApp();

  it('downloads all data of the team in the settings', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, `/settings/export?team=${team.id}`);
    const button = page.getByRole('button', { name: say.exportData });
    const { name, content } = await downloadBy(page, button);
    expect(name).toMatch(/^team-export-\d{4}-\d\d-\d\d\.zip$/);
    const files = await unzip(content);
    expect(JSON.parse(files.get('team.json') ?? '')).toMatchObject([{ id: team.id }]);
    expect(await button.isEnabled()).toBe(true);
  });

  it('downloads the data of a suspended team until it is deleted, which an admin can’t; both can use their account', async () => {
    const team = await app.team();
    const admin = await app.person(team, 'admin');
    await team.change({ status: 'suspended' });
    const page = await app.signedIn(team.owner.email, `/?team=${team.id}`);
    const button = page.getByRole('button', { name: say.exportData });
    await button.waitFor();
    await expectAccessible(page);
    await downloadBy(page, button);

    const theirs = await app.signedIn(admin.email, `/?team=${team.id}`);
    await theirs.getByText('Dieses Team ist gesperrt').waitFor();
    expect(await theirs.getByRole('button', { name: say.exportData }).count()).toBe(0);
    await goWithin(theirs, '/account');
    await theirs.getByRole('heading', { level: 1, name: 'Konto und Sicherheit' }).waitFor();
    await theirs.getByRole('table', { name: 'Ihre Teams' }).getByText('Gesperrt').waitFor();
    await startDeletion(await team.acting());
    await page.reload();
    await page.getByText('Die Daten des Teams werden gerade gelöscht.').waitFor();
    expect(await button.count()).toBe(0);
  });

  it('of a team that has ended can still download its data, and sees when it will be deleted', async () => {
    const team = await app.team();
    await team.change({ status: 'ended' });
    const page = await app.signedIn(team.owner.email, `/?team=${team.id}`, { language: 'en', width: 390 });
    await page.getByText('This team has ended').waitFor();
    await page.getByText(/^All team data will be deleted on \d{1,2} \S+ \d{4}\./).waitFor();
    expect(await page.getByRole('button', { name: 'Export data' }).isEnabled()).toBe(true);
  });

  it('reads whether a former member can come back, then erases them, and they disappear from the list', async () => {
    const team = await app.team();
    await aStoredProvider(app.service, team);
    const mia = await app.person(team, 'member');
    await removeMember(await team.acting(), mia.member_id);
    const page = await app.signedIn(team.owner.email, `/members?team=${team.id}`, { scheme: 'dark', unused: true });
    await filterBy(page, 'Status', { label: 'Ehemalige' });
    await page.getByText(mia.email).waitFor();
    const ask = async () => {
      await page.getByRole('button', { name: 'Aktionen für A member' }).click();
      await page.getByRole('menuitem', { name: 'Daten der Person löschen …' }).click();
      await page.getByRole('dialog').getByText(mia.email).waitFor();
    };
    await ask();
    await page.getByRole('dialog').getByText(say.comesBack).waitFor();
    const { prisma } = app.service.database;
    await prisma.companySignIn.deleteMany({ where: { tenantId: team.id } });
    await page.reload();
    await ask();
    expect(await page.getByText(say.comesBack).count()).toBe(0);
    await typeToConfirm(page, 'A member');
    await page.getByRole('button', { name: 'Endgültig löschen' }).click();
    await page.getByText('Löschung gestartet.').waitFor();
    await page.getByText('Keine ehemaligen Mitglieder').waitFor();
    await page.getByText(say.running).waitFor();
    expect(await page.getByText(say.failed).count()).toBe(0);

    const { tenantId, id } = await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } });
    await prisma.erasure.updateMany({ where: { tenantId, id }, data: { failedAt: new Date() } });
    await page.clock.install();
    await page.reload();
    await page.getByText(say.failed).waitFor();
    await expectAccessible(page);
    // The page looks again by itself.
    await eraseAll(app.service.platform, { tenantId, id });
    await passTimeUntil(page, page.getByText(say.running), false);
  });
});
