import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';

// npm run regexes: has recheck judge every regular expression of src/. An expression that needs more than linear time
// for some text can block the process, so it is refused, and so is one that recheck can't judge.

interface Known {
  file: string;
  /** As it is in the code. */
  expression: string;
}

/** Expressions that recheck refuses, each with the bound that makes it harmless. */
const harmless: readonly (Known & { bound: string })[] = [
  {
    file: 'src/db/cells/distributed-tables.ts',
    expression: String(/\(\s*SELECT\s+(.*?current_setting\(.*?)(?:\s+AS\s+"nullif")?\s*\)(?=\)*;?$)/s),
    bound: 'the policies of the migrations, which are files of this project',
  },
  {
    file: 'src/server/developers/documentation.ts',
    expression: String(/(^```[^]*?^```$)/m),
    bound: 'the pages of the documentation, which are files of this project',
  },
];

/** Expressions that are put together while the program runs, each with one that it may become. */
const madeLater: readonly (Known & { example: RegExp })[] = [
  {
    file: 'src/db/cells/entry.ts',
    expression: 'new RegExp(`^(?:INSERT INTO|UPDATE|DELETE FROM) ${qualified(referenceTables)}`)',
    example: /^(?:INSERT INTO|UPDATE|DELETE FROM) "public"\."(?:person|catalog_item)"/,
  },
  {
    file: 'src/db/cells/entry.ts',
    expression: 'new RegExp(qualified(coordinatorTables))',
    example: /"public"\."(?:session|credential)"/,
  },
  {
    file: 'src/db/cells/entry.ts',
    expression: "new RegExp(`\\\\b(from|join) (?!lateral |(?:${others}) )(\\\\w+(?= \\\\w)|gate(?=\\\\())`, 'g')",
    example: /\b(from|join) (?!lateral |(?:mail|session) )(\w+(?= \w)|gate(?=\())/g,
  },
  {
    file: 'src/modules/erasure/steps.ts',
    expression: "new RegExp(addressForms(address), 'i')",
    example:
      /mia(?:\.|%2e)b(?:@|%40)xn(?:-|%2d)(?:-|%2d)bse(?:-|%2d)5qa(?:\.|%2e)de|mia(?:\.|%2e)b(?:@|%40)böse(?:\.|%2e)de/i,
  },
  {
    file: 'src/server/developers/search.ts',
    expression: "new RegExp(`(${alternatives})`, 'giu')",
    example: /(idempotency|idempotent|keys|key)/giu,
  },
];

const root = join(import.meta.dirname, '..');
const files = globSync('src/**/*.{ts,mts,tsx,js,mjs}', { cwd: root, exclude: ['src/db/generated/**'] }).toSorted();

type Pattern = Pick<RegExp, 'source' | 'flags'>;

interface Found extends Known {
  line: number;
  /** Undefined if it is put together while the program runs. */
  pattern: Pattern | undefined;
}

/** The methods of a string that turn a text into a regular expression. */
const methods: ReadonlySet<string> = new Set(['match', 'matchAll', 'search']);

const expressionsIn = (file: string): Found[] => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Found[] = [];

  const add = (node: ts.Node, pattern: Pattern | undefined): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push({ file, line: line + 1, expression: node.getText(), pattern });
  };

  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, { source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const [pattern, flags] = node.arguments ?? [];
      const makesOne = ts.isIdentifier(node.expression) && node.expression.text === 'RegExp';
      const takesOne = ts.isPropertyAccessExpression(node.expression) && methods.has(node.expression.name.text);
      if (pattern && ts.isStringLiteralLike(pattern) && (makesOne || takesOne)) {
        add(node, { source: pattern.text, flags: flags && ts.isStringLiteralLike(flags) ? flags.text : '' });
      } else if (makesOne) add(node, undefined);
    } else if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) {
      const { name, initializer: value } = node;
      if (/pattern$/i.test(name.getText()) && value && ts.isStringLiteralLike(value)) {
        add(value, { source: value.text, flags: '' });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const isSame =
  (one: Known) =>
  (other: Known): boolean =>
    one.file === other.file && one.expression === other.expression;

/** Without limits of time, so that the result does not depend on the machine. Limits of effort remain. */
const untimed = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null } as const;

/** What is wrong with an expression; undefined if it needs linear time for every text. */
const flawOf = async ({ source, flags }: Pattern): Promise<string | undefined> => {
  const result = await check(source, flags, untimed);
  if (result.status === 'safe') return undefined;
  if (result.status === 'unknown') return `recheck can't judge it: ${JSON.stringify(result.error)}`;
  return `${result.complexity.summary} time for ${result.attack.pattern}`;
};

/** What is to be complained of about an expression. */
const complaintAbout = async (one: Found): Promise<string | undefined> => {
  const pattern = one.pattern ?? madeLater.find(isSame(one))?.example;
  if (!pattern) return 'is put together while the program runs: give an example in scripts/regular-expressions.ts';
  const flaw = await flawOf(pattern);
  const isHarmless = harmless.some(isSame(one));
  if (flaw === undefined) return isHarmless ? 'is linear now: remove the exception' : undefined;
  return isHarmless ? undefined : flaw;
};

const found = files.flatMap(expressionsIn);
const complaints = await Promise.all(
  found.map(async (one) => {
    const complaint = await complaintAbout(one);
    return complaint === undefined ? [] : [`${one.file}:${one.line}: ${one.expression}\n  ${complaint}`];
  }),
);
const stale = [...harmless, ...madeLater]
  .filter((entry) => !found.some(isSame(entry)))
  .map(
    ({ file, expression }) => `${file} has no ${expression} any more: remove it from scripts/regular-expressions.ts`,
  );

for (const complaint of [...complaints.flat(), ...stale]) {
  console.error(complaint);
  process.exitCode = 1;
}
