import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesMatching } from '../support/files-matching.ts';

describe('the texts of the app', () => {
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
