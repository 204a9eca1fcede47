import { Command } from '@commander-js/extra-typings';
import pg from 'pg';
import type { Query } from '../../src/db/query.ts';
import { loadQueries, sourceFiles, sourceOf } from './defined.ts';
import { flawsOf } from './judge.ts';
import { prismaCallsIn } from './tables.ts';

// npm run statements                      lists the statements: Prisma calls, and named queries with their reasons
// npm run statements -- --json            {"prisma":…,"named":…,"families":…}
// npm run statements -- --check <url>     compares every named query with a migrated database

const moduleOf = (file: string): string =>
  /^src\/(?:(?:modules|server|packages)\/)?([^/]+)/.exec(file)?.[1]?.replace(/\.ts$/, '') ?? file;

/** SQL that is neither a Prisma call nor a named query. It is allowed only where PostgreSQL takes no parameters, as for the names of partitions. */
const otherSql = /\bstatement(?:<|\()(?!Row)|\.\$(?:queryRaw|executeRaw)(?:Unsafe)?\b/g;

/** The names of queries that are generated for each table. Such a family counts as one query. */
const generated = /^(?:\w+\.)?(export|erase|deletion\.table|db\.lockRow) /;

/** The variants of a query (`trainings.list since after`) count as one. */
const familyOf = ({ name }: Query): string => generated.exec(name)?.[1] ?? name.split(' ')[0] ?? name;

const numbers = async () => {
  const queries = await loadQueries();
  return {
    prisma: sourceFiles().reduce((sum, file) => sum + prismaCallsIn(sourceOf(file)).length, 0),
    /** A generated family counts as one. */
    named: new Set(queries.map(familyOf)).size,
    families: new Set(queries.filter(({ name }) => generated.test(name)).map(familyOf)).size,
  };
};

const print = async (): Promise<void> => {
  const queries = await loadQueries();
  const families = new Map(queries.map((query) => [familyOf(query), query]));
  const counts = new Map<string, { prisma: number; named: number; other: number }>();
  const countsOf = (name: string) => {
    const known = counts.get(name) ?? { prisma: 0, named: 0, other: 0 };
    counts.set(name, known);
    return known;
  };
  const others: string[] = [];
  for (const file of sourceFiles()) {
    const source = sourceOf(file);
    const prisma = prismaCallsIn(source).length;
    const other = [...source.matchAll(otherSql)].length;
    if (prisma > 0) countsOf(moduleOf(file)).prisma += prisma;
    if (other > 0) {
      countsOf(moduleOf(file)).other += other;
      others.push(file);
    }
  }
  for (const family of families.keys())
    countsOf(family.includes('.') ? (family.split('.')[0] ?? family) : 'generated').named += 1;

  const rows = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  const total = { prisma: 0, named: 0, other: 0 };
  console.log('module           Prisma   named queries   other SQL');
  for (const [name, { prisma, named, other }] of [...rows, ['in all', total] as const]) {
    total.prisma += prisma;
    total.named += named;
    total.other += other;
    const shown = [prisma, named, other].map((count) => String(count));
    console.log(`${name.padEnd(16)} ${shown[0]?.padStart(6)} ${shown[1]?.padStart(15)} ${shown[2]?.padStart(11)}`);
  }
  console.log('\nNamed queries, and why each is not Prisma:');
  for (const [family, { why }] of families) console.log(`  ${family}: ${why}`);
  if (others.length > 0) console.log(`\nOther SQL is in ${others.join(', ')}.`);
};

const check = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const queries = await loadQueries();
    const flaws = await flawsOf(client, queries);
    for (const flaw of flaws) console.error(flaw);
    console.log(`${queries.length} named queries, ${flaws.length} differences from the database`);
    if (flaws.length > 0) process.exitCode = 1;
  } finally {
    await client.end();
  }
};

const { check: url, json } = new Command('statements')
  .description('Counts the statements of each module, and lists the named queries with the reason for each')
  .option('--json', 'print only the numbers, as JSON')
  .option('--check <url>', 'compare every named query with this migrated database instead')
  .parse()
  .opts();
if (json) console.log(JSON.stringify(await numbers()));
else await (url === undefined ? print() : check(url));
