import { describe, expect, it } from 'vitest';
import { expectAccessible, hasBrowser, languages, useApp, schemesOf } from './support/app.ts';

const words = {
  de: { title: 'Anmelden', overview: 'Übersicht' },
  en: { title: 'Sign in', overview: 'Overview' },
} as const;

describe.skipIf(!hasBrowser).each(languages)('signing in (%s)', (language) => {
  const app = useApp();

  it('leads to where one wanted to go', async () => {
    const team = await app.team();
    const page = await app.signedIn(team.owner.email, '/', { language });
    await page.getByRole('link', { name: words[language].overview }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it.each(schemesOf[language])('is open to everybody (%s)', async (scheme) => {
    const page = await app.open('/sign-in', { language, scheme });
    await page.getByRole('heading', { name: words[language].title }).waitFor();
    await expectAccessible(page);
  });
});
