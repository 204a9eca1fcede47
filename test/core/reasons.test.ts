import { glob, readFile } from 'node:fs/promises';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sentences, wordsFor } from '../../src/core/reasons.ts';

const folders = ['core', 'platform', 'webhooks', 'trpc', 'app', 'http', 'modules'];

/** Sentences that no person in the app can see: they appear on the command line, in answers to keys, or in another part of the app. */
const elsewhere: readonly RegExp[] = [
  /Idempotency-Key/,
  /^(There is no|The team has no) (team|mail|member|CRM connection) 7/,
  /^(The mail was sent|No account and no membership has this address)\.$/,
  /^The person owns the team /,
  /^There is no PEM certificate/,
  // A duration is at the end; these sentences are in `timeoutMessages`.
  /^7 7\.$/,
];

const names = /^(detail|message|refusal|refused|error|reason|[A-Z_]+)$/;
const calls = /(^|\.)(fail|failUntil|notNow|notSent|refine|refuseItem|refuseRules|regex|#note|Failure|Forbidden)$/;

/** Values of placeholders that are more than a name or a number. */
const flaws = /^(is|has|was|comes|not|the) /;

const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `7${literal.text}`).join('');
};

/** Whether a text is the reason of a refusal or a failure. */
const isReason = ({ parent }: ts.Node): boolean => {
  if (ts.isConditionalExpression(parent) || ts.isBinaryExpression(parent)) return isReason(parent);
  if (ts.isPropertyAssignment(parent)) return names.test(parent.name.getText());
  if (ts.isReturnStatement(parent)) return true;
  if (ts.isVariableDeclaration(parent)) return /detail|tooMany|reason/i.test(parent.name.getText());
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && calls.test(parent.expression.getText());
};

/** The reasons in the server's code, with `7` for each placeholder. */
const reasonsOfServer = async (): Promise<string[]> => {
  const found = new Set<string>();
  const files = folders.map((folder) => `src/${folder}/**/*.ts`);
  for await (const file of glob(files, { exclude: ['src/modules/crm/**', 'src/modules/catalog/document.ts'] })) {
    const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const [texts, words] = [new Set<string>(), new Set<string>()];
    const visit = (node: ts.Node): void => {
      const text = textOf(node) ?? '';
      if (flaws.test(text)) words.add(text);
      if (/^[A-Z7].* .*\.$/s.test(text) && isReason(node)) texts.add(text);
      ts.forEachChild(node, visit);
    };
    visit(source);
    for (const text of texts) {
      const isOpen = / (certificate|is) 7\.$/.test(text);
      for (const one of isOpen ? [...words].map((word) => text.replace(/7\.$/, `${word}.`)) : [text]) found.add(one);
    }
  }
  return [...found];
};

describe('a reason of the server, in words for people', () => {
  it('has both languages, for every reason in the code', async () => {
    const english = await reasonsOfServer();
    expect(english.length).toBeGreaterThan(100);
    const untranslated = english.filter(
      (sentence) => !elsewhere.some((pattern) => pattern.test(sentence)) && wordsFor(sentence) === undefined,
    );
    expect(untranslated).toEqual([]);
  });

  it('keeps the names in the sentence, and matches only its own sentence', () => {
    const slot = /\{(\w+)\}/g;
    const slotsOf = (text: string) => [...text.matchAll(slot)].map(([, name]) => name);
    const filled = (text: string) => text.replaceAll(slot, (_all, name: string) => `<${name}>`);
    for (const [server, de, en = server] of sentences) {
      expect(de, server).toMatch(/^[A-ZÄÖÜ{].*[.]$/s);
      expect(slotsOf(server), server).toEqual(expect.arrayContaining([...slotsOf(de), ...slotsOf(en)]));
      expect(wordsFor(filled(server)), server).toEqual({ de: filled(de), en: filled(en) });
    }
  });

  it('has both languages for Zod’s messages', () => {
    const wrong = [
      z.string().min(1).safeParse(''),
      z.string().max(1).safeParse('ab'),
      z.array(z.string()).min(2).safeParse([]),
      z.array(z.string()).max(0).safeParse(['a']),
      z.int().min(2).safeParse(1),
      z.number().max(2).safeParse(3),
      z.string().safeParse(undefined),
      z.string().safeParse(null),
      z.enum(['a', 'b']).safeParse('c'),
      z.iso.date().safeParse('x'),
      z.literal('x').safeParse('y'),
      z.string().regex(/a/).safeParse('b'),
    ];
    for (const { error } of wrong) {
      const message = error?.issues[0]?.message ?? '';
      expect(wordsFor(message)?.de, message).toMatch(/\.$/);
    }
  });

  it('keeps addresses and numbers, and writes durations in German', () => {
    expect(wordsFor('The address 10.0.0.1 is not public.')?.de).toBe('Die Adresse 10.0.0.1 ist nicht öffentlich.');
    expect(wordsFor('Neither addresses nor networks: 10.1, ::x.')?.de).toBe(
      'Keine gültigen IP-Adressen oder Netze: 10.1, ::x.',
    );
    expect(wordsFor('The receiver did not answer within 1 second.')?.de).toContain('von 1 Sekunde geantwortet');
    expect(wordsFor('Something else.')).toBeUndefined();
  });
});
