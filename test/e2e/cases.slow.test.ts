import { describe, expect, it } from 'vitest';
import { aCase } from '../support/practice.ts';
import { expectAccessible, hasBrowser, useApp, inFilters } from './support/app.ts';

const say = {
  create: 'Neuer Fall',
  make: 'Fall anlegen',
  title: 'Titel',
  owner: 'Mitglied',
  addField: 'Feld hinzufügen',
  key: 'Schlüssel',
  kind: 'Typ',
  number: 'Zahl',
  value: 'Wert',
  json: 'Felder als JSON',
  save: 'Speichern',
  noneOfMine: 'Noch keine privaten Fälle',
  noneOfTeam: 'Noch keine Team-Fälle',
  actions: 'Aktionen für',
  share: 'Mit dem Team teilen',
} as const;

describe.skipIf(!hasBrowser)('cases', () => {
  const app = useApp();

  it('of the team can be created with fields of any kind, and the API shows them', async () => {
    const team = await app.team();
    const { email, user_id } = await app.person(team, 'member');
    const page = await app.signedIn(team.owner.email, '/cases');
    await page.getByText(say.noneOfTeam).waitFor();
    await page.getByRole('button', { name: say.create }).click();
    await page.getByLabel(say.title).fill('Renewal at Nordlicht');
    await page.getByRole('dialog').getByLabel(say.owner).first().click();
    await page.getByRole('option', { name: email }).click();
    await page.getByLabel('Persona').fill('persona-17');
    await page.getByRole('button', { name: say.addField }).click();
    await page.getByLabel(`${say.key} 1`).fill('industry');
    await page.getByLabel(`${say.value} 1`).fill('energy');
    await page.getByRole('button', { name: say.addField }).click();
    await page.getByLabel(`${say.key} 2`).fill('employees');
    await page.getByLabel(`${say.kind} 2`).selectOption({ label: say.number });
    await page.getByLabel(`${say.value} 2`).fill('many');
    await page.getByText('Geben Sie eine Zahl ein.').waitFor();
    await expectAccessible(page);
    await page.getByLabel(`${say.value} 2`).fill('240');
    await page.getByRole('radiogroup').locator('label', { hasText: 'JSON' }).click();
    const json = page.getByLabel(say.json);
    expect(JSON.parse(await json.inputValue())).toEqual({ industry: 'energy', employees: 240 });
    await json.fill('{ "industry": "energy"');
    await page.getByText('Geben Sie ein JSON-Objekt').waitFor();
    await json.fill('{ "industry": "energy", "employees": 240, "objections": ["price", { "when": "late" }] }');
    await page.getByRole('button', { name: say.make }).click();
    await page.getByRole('link', { name: 'Renewal at Nordlicht' }).waitFor();
    await page.getByText('Industry: energy · Employees: 240 · Objections: price, When: late').waitFor();

    expect((await team.client.get('/cases')).data).toMatchObject([
      {
        user_id,
        title: 'Renewal at Nordlicht',
        persona_id: 'persona-17',
        fields: { industry: 'energy', employees: 240, objections: ['price', { when: 'late' }] },
      },
    ]);
  });

  it('of the team are opened by URL, changed and deleted; their numbers keep every digit, and unedited fields stay', async () => {
    const team = await app.team();
    const numbers = '"big": 12345678901234567890, "zeros": 1.10';
    const made = await team.client.post(
      '/cases',
      `{"user_id":"${team.owner.user_id}","title":"Numbers","fields":{${numbers},"nested":{"a":9007199254740993}}}`,
    );
    const id = String(made.body['id']);
    const page = await app.signedIn(team.owner.email, `/cases?case_id=${id}`);
    const dialog = page.getByRole('dialog', { name: 'Numbers' });
    expect(await dialog.getByLabel(`${say.value} 1`).inputValue()).toBe('12345678901234567890');
    await dialog.getByRole('button', { name: say.addField }).click();
    await dialog.getByLabel(`${say.key} 4`).fill('typed');
    await dialog.getByLabel(`${say.kind} 4`).selectOption({ label: say.number });
    await dialog.getByLabel(`${say.value} 4`).fill('98765432109876543210');
    await dialog.getByRole('button', { name: say.save }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { text } = await team.client.get(`/cases/${id}`);
    expect(text).toContain(
      '{"big":12345678901234567890,"zeros":1.10,"nested":{"a":9007199254740993},"typed":98765432109876543210}',
    );

    await page.getByRole('link', { name: 'Numbers' }).click();
    await dialog.getByRole('radiogroup').locator('label', { hasText: 'JSON' }).click();
    await dialog.getByLabel(say.json).fill('["a", {"b": 1.50}]');
    await dialog.getByRole('button', { name: say.save }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await team.client.get(`/cases/${id}`)).text).toContain('"fields":["a",{"b":1.50}]');

    await page.getByRole('link', { name: 'Numbers' }).click();
    await dialog.getByLabel(say.title).fill('New name');
    await dialog.getByRole('button', { name: say.save }).click();
    await page.getByRole('link', { name: 'New name' }).waitFor();
    const changed = await team.client.get(`/cases/${id}`);
    expect(changed.body).toMatchObject({ title: 'New name' });
    expect(changed.text).toContain('"fields":["a",{"b":1.50}]');
    await page.getByRole('button', { name: `${say.actions} New name` }).click();
    await page.getByRole('menuitem', { name: 'Löschen …' }).click();
    await page.getByRole('button', { name: 'Fall löschen' }).click();
    await page.getByText(say.noneOfTeam).waitFor();
    expect((await team.client.get(`/cases/${id}`)).status).toBe(404);
  });

  it('of the team can be filtered by a member who left', async () => {
    const team = await app.team();
    const former = await app.person(team, 'member');
    await aCase(app.service, team, { userId: former.user_id, title: 'From before' });
    await aCase(app.service, team, { userId: team.owner.user_id, title: 'From today' });
    expect((await team.client.delete(`/users/${former.member_id}`)).status).toBe(200);
    const page = await app.signedIn(team.owner.email, '/cases');
    await inFilters(page, async (filters) => {
      await filters.getByLabel(say.owner).first().click();
      await filters.getByRole('option', { name: former.email }).click();
    });
    await page.getByRole('link', { name: 'From today' }).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'From before' }).waitFor();
  });

  it('of a member are private until the member shares them', async () => {
    const team = await app.team();
    const { email } = await app.person(team, 'member');
    const page = await app.signedIn(email, '/cases');
    await page.getByText(say.noneOfMine).waitFor();
    await page.getByRole('button', { name: say.create }).click();
    await page.getByLabel(say.title).fill('My hard one');
    await page.getByRole('button', { name: say.make }).click();
    await page.getByRole('link', { name: 'My hard one' }).waitFor();
    expect((await team.client.get('/cases')).data).toEqual([]);

    await page.getByRole('button', { name: `${say.actions} My hard one` }).click();
    await page.getByRole('menuitem', { name: say.share }).click();
    await page.getByRole('dialog').getByRole('button', { name: say.share }).click();
    await page.getByText(say.noneOfMine).waitFor();
    expect((await team.client.get('/cases')).data).toMatchObject([{ title: 'My hard one' }]);
  });
});
