import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eraseAll } from '../../src/modules/erasure/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { unzip } from '../support/unzip.ts';
import { expectAccessible, hasBrowser, languages, useApp, schemesOf, once } from './support/app.ts';

const words = {
  de: {
    exportData: 'Daten exportieren',
    privacyOff: 'Solange Angaben zu einzelnen Personen abgeschaltet sind',
    status: 'Status',
    former: 'Ehemalige',
    actions: 'Aktionen für A member',
    erase: 'Daten der Person löschen …',
    forGood: 'Endgültig löschen',
    begun: 'Die Daten der Person werden gelöscht.',
    none: 'Keine ehemaligen Mitglieder',
  },
  en: {
    exportData: 'Export data',
    privacyOff: 'While details about single people are off',
    status: 'Status',
    former: 'Former members',
    actions: 'Actions for A member',
    erase: 'Erase the person’s data …',
    forGood: 'Erase permanently',
    begun: 'The person’s data is being erased.',
    none: 'No former members',
  },
} as const;

describe.skipIf(!hasBrowser).each(languages)('the owner (%s)', (language) => {
  const app = useApp();
  const say = words[language];

  it('downloads all data of the team in the settings', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, `/settings?team=${team.id}`, { language });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: say.exportData }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^team-export-\d{4}-\d\d-\d\d\.zip$/);
    const files = await unzip(await readFile(await download.path()));
    expect(JSON.parse(files.get('team.json') ?? '')).toMatchObject([{ id: team.id }]);
    expect(await page.getByRole('button', { name: say.exportData }).isEnabled()).toBe(true);
  });

  it('erases a former member, who leaves the list', async () => {
    const team = await app.team();
    const mia = await app.person(team, 'member');
    await removeMember(await team.acting(), mia.member_id);
    const schemes = schemesOf[language];
    const page = await app.signedIn(team.owner.email, `/members?team=${team.id}`, {
      language,
      ...(schemes[0] && { scheme: schemes[0] }),
    });
    await page.getByLabel(say.status).selectOption({ label: say.former });
    await page.getByText(mia.email).waitFor();
    if (schemes.length > 0) await expectAccessible(page);
    await page.getByRole('button', { name: say.actions }).click();
    await page.getByRole('menuitem', { name: say.erase }).click();
    await page.getByRole('dialog').getByText(mia.email).waitFor();
    if (schemes.length > 0) await expectAccessible(page);
    await page.getByRole('button', { name: say.forGood }).click();
    await page.getByText(say.begun).waitFor();
    await page.getByText(say.none).waitFor();

    const { prisma } = app.service.database;
    const { tenantId, id } = await prisma.erasure.findFirstOrThrow({ where: { tenantId: team.id } });
    await eraseAll(app.service.platform, { tenantId, id });
    expect(await prisma.member.count({ where: { tenantId, id: mia.member_id } })).toBe(0);
    expect(await prisma.person.count({ where: { email: mia.email } })).toBe(0);
  });

  it.runIf(once(language))(
    'is told why there is no export while member details are off; an admin sees neither',
    async () => {
      const team = await app.team({ memberDetail: false });
      const admin = await app.person(team, 'admin');
      const page = await app.signedIn(team.owner.email, `/settings?team=${team.id}`, { language });
      await page.getByText(say.privacyOff).waitFor();
      expect(await page.getByRole('button', { name: say.exportData }).isDisabled()).toBe(true);
      const theirs = await app.signedIn(admin.email, `/settings?team=${team.id}`, { language });
      expect(await theirs.getByRole('button', { name: say.exportData }).count()).toBe(0);
      const members = await app.signedIn(admin.email, `/members?team=${team.id}`, { language });
      await members.getByLabel(say.status).waitFor();
      expect(await members.getByRole('option', { name: say.former }).count()).toBe(0);
    },
  );
});
