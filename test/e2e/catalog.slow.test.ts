import { describe, expect, it } from 'vitest';
import { anOwnCombination, aCatalogItem } from '../support/practice.ts';
import { hasBrowser, useApp } from './support/app.ts';

const say = {
  release: (name: string) => `${name} freigeben`,
  save: 'Speichern',
} as const;

describe.skipIf(!hasBrowser)('catalog and policies', () => {
  const app = useApp();
  const patient = { timeout: 45_000 };

  it('block for one member or the whole team until released, and restrict a situation to some items, in the app and over the API', async () => {
    const team = await app.team();
    const [one, two] = [await app.person(team, 'member'), await app.person(team, 'member')];
    const combination = await anOwnCombination(app.service, team);
    const named = { nameDe: 'Other', nameEn: 'Other' };
    const other = await aCatalogItem(app.service, { tenantId: team.id, dimension: 'personality', ...named });
    const answerFor = ({ member_id }: { member_id: string }, more: object = {}) =>
      team.client.post('/assignments', { member_id, title: 'Practise', ...combination, ...more });
    const catalog = async () => JSON.stringify((await team.client.get('/catalog')).body['situation']);
    const page = await app.signedIn(team.owner.email, `/catalog?member=${one.member_id}`);
    const item = page.getByRole('switch', { name: say.release('Price talk') });
    await expect.poll(() => page.getByLabel('Freigaben für').first().inputValue(), patient).toContain(one.email);
    await item.press('Space');
    await expect.poll(async () => (await answerFor(one)).status, patient).toBe(403);
    expect((await answerFor(two)).status).toBe(201);
    expect(await catalog()).toContain(combination.situation_id);

    await page.goto('/catalog?search=nothing');
    await page.getByText('Keine Einträge entsprechen den Filtern').waitFor();
    await page.getByRole('button', { name: 'Filter zurücksetzen' }).first().click();
    expect(await item.isChecked()).toBe(true);
    await item.press('Space');
    await expect.poll(catalog, patient).not.toContain(combination.situation_id);
    expect(await answerFor(two)).toMatchObject({ status: 403, body: { code: 'vorgabe_gesperrt' } });
    expect(await item.isChecked()).toBe(false);
    await page.goto(`/catalog?member=${two.member_id}`);
    await page.getByText('Vom Team gesperrt').waitFor();

    await page.goto('/catalog');
    await item.press('Space');
    await expect.poll(catalog, patient).toContain(combination.situation_id);
    expect((await answerFor(two)).status).toBe(201);

    await page.getByRole('button', { name: 'Regeln: Price talk' }).click();
    const group = page.getByRole('group', { name: 'Persönlichkeiten' });
    await group.getByLabel('Nur mit').first().click();
    await page.getByRole('option', { name: 'Sceptic' }).click();
    await page.keyboard.press('Escape');
    await group.getByText(/^1 von \d+ möglich$/).waitFor();
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText('Regeln gespeichert.').waitFor();
    expect((await answerFor(two, { personality_id: other })).body['code']).toBe('kombination_ungueltig');
    expect((await answerFor(two)).status).toBe(201);
  });

  it('accept items of the team’s own', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/catalog?dimension=industry');
    await page.getByRole('button', { name: 'Neue Branche' }).click();
    await page.getByLabel('Name (Deutsch)').fill('Windkraft');
    await page.getByLabel('Name (Englisch)').fill('Wind power');
    await page.getByRole('button', { name: say.save }).click();
    const name = 'Windkraft';
    await page.getByRole('switch', { name: say.release(name) }).waitFor();
    const industries = async () => JSON.stringify((await team.client.get('/catalog')).body['industry']);
    expect(await industries()).toContain('Windkraft');

    await page.getByRole('button', { name: `Bearbeiten: ${name}` }).click();
    await page.getByRole('dialog').getByLabel('Veröffentlicht').press('Space');
    await page.getByRole('button', { name: say.save }).click();
    await page.getByText('Nicht veröffentlicht').waitFor();
    expect(await industries()).not.toContain('Windkraft');
  });
});
