import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

describe('the texts of the app', () => {
  it('are picked while a page is rendered, not once when its module is loaded: they would keep the language', async () => {
    expect(pickedOnLoad([{ path: 'a.ts', text: "const a = () => t('Ja', 'Yes'); const all = [a()];" }])).toEqual([
      'a.ts: a()',
    ]);
    expect(pickedOnLoad(await sourcesOfApp())).toEqual([]);
  });

  it('are German first, then English, and have the same values in them', async () => {
    const flawsOf = (text: string) => flawsOfPairs(pairsIn([{ path: 'a.ts', text }]));
    expect(flawsOf("t('Are you sure?', 'Sind Sie sicher?')")).toEqual([
      'a.ts: not German: Are you sure?',
      'a.ts: not English: Sind Sie sicher?',
    ]);
    expect(flawsOf("t('Speichern', 'Speichern')")).toEqual(['a.ts: the same in both: Speichern']);
    expect(flawsOf('t(`${name} entfernen?`, `Remove ${email}?`)')).toEqual(['a.ts: other values: … entfernen?']);
    const pairs = pairsIn(await sourcesOfApp());
    expect(pairs.length).toBeGreaterThan(2_000);
    expect(flawsOfPairs(pairs)).toEqual([]);
  });

  it('are in both languages, but for names', async () => {
    const words = (text: string) => [...wordsOutside([{ path: 'a.tsx', text }])];
    expect(words('<Text label="Hinweis" name="note">Save {t(<b>Ja</b>, <b>Yes</b>)}</Text>')).toEqual([
      'Hinweis',
      'Save',
    ]);
    expect(wordsOutside(await sourcesOfApp()).difference(names)).toEqual(new Set());
  });
});

/** Words that are the same in both languages and stand alone. */
const names = new Set([
  'CRM',
  'CSV',
  'Deal',
  'Deals',
  'Deutsch',
  'English',
  'Esc',
  'JSON',
  'Microsoft Entra ID',
  'Okta',
  'Passkeys',
  'Team Customer API',
  'Trainings',
  'User-Agent',
  'Webhooks',
  'api_disabled',
  // Between a number and the time before.
  'in',
]);

/** Texts that are the same in both languages. `…` is a value. */
const sameInBoth = new Set([
  '2FA',
  'API',
  'Admin',
  'Admins',
  'App',
  'Browser',
  'Code',
  'Details',
  'Details: …',
  'Dimension',
  'Domain',
  'Domains',
  'HTTP …',
  'Limits',
  'Median (p50)',
  'Name',
  'Navigation',
  'Person',
  'Persona',
  'Position',
  'Route',
  'Situation',
  'Status',
  'Status 499',
  'Team',
  'Text',
  'Training',
  'Training …',
  'Trainings',
  'URL',
  'Webhooks',
]);

const english = /\b(the|and|are|is|of|your|you|with|to|not|for|no|this)\b/i;
const german =
  /[äöüß„]|\b(der|die|das|und|ist|nicht|wird|werden|mit|für|von|sind|kein|keine|den|dem|ein|eine|oder|im|zu|sie)\b/i;

interface File {
  path: string;
  text: string;
}

const eachCall = (node: ts.Node, found: (call: ts.CallExpression, name: string) => void): void => {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) found(node, node.expression.text);
  ts.forEachChild(node, (child) => eachCall(child, found));
};

/** Whether the code runs when its module is loaded. */
const runsOnLoad = (node: ts.Node): boolean => {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) if (ts.isFunctionLike(at)) return false;
  return true;
};

/** The calls that read the language when a module is loaded: of `t`, of `locale`, and of functions that call these. */
const pickedOnLoad = (files: readonly File[]): string[] => {
  const sources = files.map(({ path, text }) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  const reading = new Set(['t', 'locale', 'currentLanguage']);
  let known = 0;
  while (known < reading.size) {
    known = reading.size;
    for (const statement of sources.flatMap(({ statements }) => [...statements])) {
      if (!ts.isVariableStatement(statement)) continue;
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (!ts.isIdentifier(name) || !initializer || !ts.isArrowFunction(initializer)) continue;
        eachCall(initializer, (_call, called) => {
          if (reading.has(called)) reading.add(name.text);
        });
      }
    }
  }
  return sources.flatMap((source) => {
    const calls: string[] = [];
    eachCall(source, (call, name) => {
      if (reading.has(name) && runsOnLoad(call)) calls.push(`${source.fileName}: ${call.getText()}`);
    });
    return calls;
  });
};

const sourcesOfApp = async (): Promise<File[]> => {
  const files: File[] = [];
  for await (const path of filesMatching('src/web/**/*.{ts,tsx}'))
    files.push({ path, text: await readFile(path, 'utf8') });
  return files;
};

interface Written {
  text: string;
  /** The names in the values of the text, without those of methods that only change how they are written. */
  values: readonly string[];
}

const namesIn = (node: ts.Node): string[] => {
  const found: string[] = [];
  const look = (one: ts.Node): void => {
    if (ts.isIdentifier(one)) found.push(one.text);
    ts.forEachChild(one, look);
  };
  look(node);
  return found;
};

const writtenIn = (node: ts.Node | undefined): Written | undefined => {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return { text: node.text, values: [] };
  if (!ts.isTemplateExpression(node)) return undefined;
  const values = node.templateSpans.flatMap(({ expression }) => namesIn(expression));
  // English has another verb for several things.
  const known = new Set(values.filter((name) => name !== 'toLowerCase' && name !== 'plural'));
  return {
    text: [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'),
    values: [...known].toSorted(),
  };
};

interface Pair {
  path: string;
  de: Written;
  en: Written;
}

/** The texts that `t` picks from, if both are written there. */
const pairsIn = (files: readonly File[]): Pair[] =>
  files.flatMap(({ path, text }) => {
    const pairs: Pair[] = [];
    eachCall(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), ({ arguments: [first, second] }, name) => {
      const [de, en] = [writtenIn(first), writtenIn(second)];
      if (name === 't' && de && en) pairs.push({ path, de, en });
    });
    return pairs;
  });

const flawsOfPairs = (pairs: readonly Pair[]): string[] =>
  pairs.flatMap(({ path, de, en }) => {
    if (de.text === en.text) return sameInBoth.has(de.text) ? [] : [`${path}: the same in both: ${de.text}`];
    return [
      ...(english.test(de.text) ? [`${path}: not German: ${de.text}`] : []),
      ...(german.test(en.text) ? [`${path}: not English: ${en.text}`] : []),
      ...(de.values.join() === en.values.join() ? [] : [`${path}: other values: ${de.text}`]),
    ];
  });

/** Properties of elements that are shown or read out. */
const shown = new Set(['label', 'title', 'aria-label', 'description', 'what', 'hint', 'none', 'done', 'lead']);

const hasLetters = (text: string): boolean => /\p{L}/u.test(text);

/** The words of pages that `t` does not pick. */
const wordsOutside = (files: readonly File[]): Set<string> => {
  const found = new Set<string>();
  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 't') return;
    if (ts.isJsxText(node) && hasLetters(node.text)) found.add(node.text.trim());
    if ((ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) && shown.has(node.name.getText())) {
      const { initializer } = node;
      if (initializer && ts.isStringLiteral(initializer) && hasLetters(initializer.text)) found.add(initializer.text);
    }
    ts.forEachChild(node, look);
  };
  for (const { path, text } of files) look(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
};
