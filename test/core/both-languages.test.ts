import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

// Texts of the service, such as refusals and mails, are objects `{ de, en }`. Both languages must have the same values:
// the day in the one must not be another one in the other. test/web/words.test.ts says the same of the app.

/** What only writes a value, as a language has it. */
const written = new Set(['de', 'en', 'toLocaleString', 'forDevelopers']);

/** The names and numbers in a text, or in the function that writes it, however a language orders them. */
const valuesIn = (node: ts.Node): string => {
  const found: string[] = [];
  const look = (one: ts.Node): void => {
    if (ts.isIdentifier(one) || ts.isNumericLiteral(one)) found.push(one.text);
    ts.forEachChild(one, look);
  };
  look(node);
  return found
    .filter((name) => !written.has(name))
    .map((name) => name.replace(/(?:De|En)$/, ''))
    .toSorted()
    .join(' ');
};

interface Pair {
  place: string;
  de: string;
  en: string;
}

const pairsIn = (path: string, text: string): Pair[] => {
  const pairs: Pair[] = [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const look = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const of = (language: string): ts.Expression | undefined =>
        node.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === language)?.initializer;
      const [de, en] = [of('de'), of('en')];
      if (de && en) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        pairs.push({ place: `${path}:${line + 1}`, de: valuesIn(de), en: valuesIn(en) });
      }
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return pairs;
};

/** Texts in which one language says more, for those who look for the cause. */
const withMore = new Set([
  'src/core/messages/crm.ts: status; status waits',
  'src/core/messages/crm.ts: ; max',
  'src/modules/webhooks/failing-endpoints.ts: error reason; reason',
]);

const differing = (pairs: readonly Pair[]) =>
  pairs.filter(({ place, de, en }) => de !== en && !withMore.has(`${place.replace(/:\d+$/, '')}: ${de}; ${en}`));

it('both languages of a text of the service have the same values, as often', async () => {
  const sample =
    'const a = (from, to) => ({ de: `Ab ${day(from)} bis ${day(to)}`, en: `From ${day(from)} to ${day(from)}` });';
  expect(differing(pairsIn('a.ts', sample))).toEqual([
    { place: 'a.ts:1', de: 'day day from to', en: 'day day from from' },
  ]);
  const pairs: Pair[] = [];
  for await (const path of filesMatching('src/**/*.ts', ['src/db/generated/**', 'src/web/**', 'src/cli/demo/**'])) {
    const text = await readFile(path, 'utf8');
    if (/\bde: /.test(text)) pairs.push(...pairsIn(path, text));
  }
  expect(pairs.length).toBeGreaterThan(200);
  expect(differing(pairs)).toEqual([]);
});
