import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holderOf, exchangeCode } from '../../src/modules/assistants/tokens.ts';
import { expectSound, hasBrowser, useApp } from './support/app.ts';
import { requestOf } from './support/assistants.ts';
import { script } from '../support/world.ts';
import { listen } from '../support/ports.ts';

const say = {
  give: 'Zugriff erlauben',
  team: 'Team',
  seesMembers: 'Mitglieder des Teams sehen',
} as const;

/** An assistant on the person's machine that waits for the redirect with the code. */
const anAssistant = async () => {
  const answers: URL[] = [];
  const server = createServer((request, response) => {
    answers.push(new URL(request.url ?? '/', 'http://localhost'));
    response.end('<!doctype html><title>Done</title><h1>Back at the assistant</h1>');
  });
  onTestFinished(() => void server.close());
  return { redirectUri: `http://127.0.0.1:${await listen(server)}/callback`, answers };
};

describe.skipIf(!hasBrowser)('an assistant in the app', () => {
  const app = useApp();

  it('is connected to one team by its person, and disconnected again', async () => {
    const first = await app.team({ name: 'Nord' });
    const second = await app.team({ name: 'Süd' });
    const { email } = first.owner;
    await second.anActiveMember({ email });
    const { redirectUri, answers } = await anAssistant();
    const { clientId, verifier, path } = requestOf(app, redirectUri);
    const page = await app.signedIn(email, path);

    await page.getByLabel(say.team, { exact: true }).selectOption('Süd');
    await page.getByText(say.seesMembers).waitFor({ state: 'detached' });
    await page.getByLabel(say.team, { exact: true }).selectOption('Nord');
    await page.getByText(say.seesMembers).waitFor();
    await page.getByText('Aufgaben anlegen, ändern und löschen').waitFor();
    await page.getByRole('button', { name: say.give }).click();
    await page.getByRole('heading', { name: 'Back at the assistant' }).waitFor();
    const code = answers[0]?.searchParams.get('code') ?? '';
    expect(answers[0]?.searchParams.get('state')).toBe('a state');
    const tokens = await exchangeCode(app.service.platform, { code, clientId, redirectUri, verifier });
    expect((await holderOf(app.service.platform, tokens?.access ?? ''))?.membership.tenantId).toBe(first.id);

    await page.goto('/account');
    const table = page.getByRole('table', { name: 'Verbundene Assistenten' });
    await table.getByText('Mein Assistent').waitFor();
    await table.getByRole('button', { name: 'Mein Assistent trennen' }).click();
    await page.getByText('Keine Assistenten verbunden').waitFor();
    // What the person gives to an assistant.
    await page.getByText(new URL('/mcp', app.service.origin).href, { exact: true }).waitFor();
    expect(await holderOf(app.service.platform, tokens?.access ?? '')).toBeUndefined();
  });

  it('with an invalid request is refused here, without a redirect, and gets no access if its person declines', async () => {
    const team = await app.team();
    const { path } = requestOf(app, 'https://assistant.example/callback');
    const elsewhere = path.replace('assistant.example', 'evil.example');
    const page = await app.signedIn(team.owner.email, elsewhere);
    await page.getByText('Ungültige Anfrage').waitFor();
    expect(await page.getByRole('button', { name: say.give }).count()).toBe(0);

    const { redirectUri, answers } = await anAssistant();
    await page.goto(requestOf(app, redirectUri).path);
    await page.getByRole('link', { name: 'Ablehnen' }).click();
    await page.getByRole('heading', { name: 'Back at the assistant' }).waitFor();
    expect(answers[0]?.searchParams.get('error')).toBe('access_denied');
    expect(answers[0]?.searchParams.get('code')).toBeNull();
  });

  it('has a readable consent page, whatever the assistant’s name', async () => {
    const team = await app.team({ name: script });
    const { path } = requestOf(app, 'https://assistant.example/callback', script);
    const page = await app.signedIn(team.owner.email, path, { scheme: 'dark', width: 390 });
    await page.getByRole('button', { name: say.give }).waitFor();
    await expectSound(page);
    expect(await page.locator('img[src="x"], main script').count()).toBe(0);
  });
});
