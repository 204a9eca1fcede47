import { globSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Inspection } from '../walk/walk.ts';

// The app writes each text in both languages where it is shown: t('Mitglieder', 'Members').
const pair = /\bt\(\s*(['`])([^'`$\\]+)\1,\s*(['`])([^'`$\\]+)\3/g;

const texts = globSync('src/web/**/*.{ts,tsx}').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(pair)].map(([, , de = '', , en = '']) => ({ de, en })),
);
const [german, english] = [new Set(texts.map(({ de }) => de)), new Set(texts.map(({ en }) => en))];
/** Texts that the app has in the other language alone. One word may also be a name that a team has given. */
const phrases = (of: ReadonlySet<string>, without: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...of].filter((text) => text.includes(' ') && !without.has(text)));
const foreign = { de: phrases(english, german), en: phrases(german, english) };

const shownTexts = `(() => {
  const shown = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) shown.add(texts.currentNode.data.trim());
  for (const one of document.querySelectorAll('[aria-label], [placeholder]')) {
    shown.add(one.getAttribute('aria-label')).add(one.getAttribute('placeholder'));
  }
  return [...shown].filter(Boolean);
})()`;

/** No text of the app is in the other language. */
export const inItsLanguage: Inspection = async ({ page, language }) => {
  const shown = z.array(z.string()).parse(await page.evaluate(shownTexts));
  expect(shown.filter((text) => foreign[language].has(text))).toEqual([]);
};
