import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

/** All texts of the app, its mails and its reasons, with the code around them. */
const texts: string[] = [];
for await (const file of filesMatching('src/{web,core,modules,platform,trpc,webhooks}/**/*.{ts,tsx}')) {
  texts.push(await readFile(file, 'utf8'));
}
const source = texts.join('\n');

describe('the texts of the app', () => {
  it.each([
    [/Einzelne Personen sind verborgen|Single people are hidden/, 'Personenbezogene Daten ausgeblendet'],
    [/Diese Liste ist geschlossen|This list is closed/, 'Wegen Datenschutz nicht verfügbar'],
    [/Recht[^'`]{0,60} nehmen['`?]|Take the right/, "'Berechtigung entziehen', 'Revoke permission'"],
    [/Nichts kam mehr an|Nothing got through/, "'Fehler seit', 'Failing since'"],
    [/Form (?:der|seiner) Ereignisse|Shape of its events/, "'API-Version', 'API version'"],
    [/Sehen Sie in Ihr Postfach|Look into your mail/, "'E-Mail gesendet', 'Check your email'"],
    [/[Gg]ebremst|'Limited'/, "'Rate-Limit (429)', 'Rate limited (429)'"],
    [/Zuletzt passiert|What happened lately/, "'Letzte Aktivität', 'Recent activity'"],
    [/Noch einmal senden|Send again/, "'Als neue Zustellung senden', 'Replay event'"],
    [/Jetzt wiederholen/, "'Jetzt erneut versuchen', 'Retry now'"],
    [/'Zuerst die |das Neueste zuerst/, "'Zuerst Empfänger auswählen', 'Select recipients first'"],
    [/(?:ist|sind) unterwegs\.'|on (?:its|their) way\.'/, "'Einladungen gesendet.', 'invitations sent.'"],
    [/Das wird nicht angenommen|'Not accepted: '/, "'Status', 'Status'"],
    [/Vorgaben/, "'Katalog und Freigaben', 'Catalog and policies'"],
    [/confirm that it is you|affects security/, 'Confirm it’s you'],
    [/Fehlerhaft: \$|With mistakes/, ' zu korrigieren'],
    [/Neuer Eintrag|New item/, "'Neue Situation', 'New situation'"],
    [/Kein Zugriff|'No access'/, 'Diese Seite ist Admins vorbehalten'],
    [/in dieser Zeit\./, 'Keine bewerteten Trainings in diesem Zeitraum.'],
    [/wird zurückgesetzt/, ', Neustart '],
    [/[Aa]nother sign-in/, 'Your team requires two-factor authentication'],
  ] as const)('have %s no more, but %s', (former, present) => {
    expect(former.exec(source)?.[0]).toBeUndefined();
    expect(source).toContain(present);
  });

  it('have one word for a failing endpoint, in the list and on the overview', () => {
    const words = source.match(/'[^']*', 'Failing'/g);
    expect(words).toEqual(["'Gestört', 'Failing'"]);
  });

  it('are picked while a page is rendered, not once when its module is loaded: they would keep the language', async () => {
    expect(pickedOnLoad([{ path: 'a.ts', text: "const a = () => t('Ja', 'Yes'); const all = [a()];" }])).toEqual([
      'a.ts: a()',
    ]);
    const files: File[] = [];
    for await (const path of filesMatching('src/web/**/*.{ts,tsx}'))
      files.push({ path, text: await readFile(path, 'utf8') });
    expect(pickedOnLoad(files)).toEqual([]);
  });
});

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
