import type { Query } from '../../src/db/query.ts';
import { loadQueries, sourceFiles, sourceOf } from './defined.ts';
import { prismaCallsIn } from './tables.ts';

// npm run statements             counts the statements, and lists the named queries with the reason for each
// npm run statements -- --json   {"prisma":…,"named":…,"families":…}

/** The names of queries that are generated for each table. Such a family counts as one query. */
const generated = /^(?:\w+\.)?(export|erase|db\.lockRow) /;

/** The variants of a query (`trainings.list since after`) count as one. */
const familyOf = ({ name }: Query): string => generated.exec(name)?.[1] ?? name.split(' ')[0] ?? name;

const queries = await loadQueries();
const reasons = new Map(queries.map((query) => [familyOf(query), query.why]));
const numbers = {
  prisma: sourceFiles().reduce((sum, file) => sum + prismaCallsIn(sourceOf(file)).length, 0),
  named: reasons.size,
  families: new Set(queries.filter(({ name }) => generated.test(name)).map(familyOf)).size,
};
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(numbers));
} else {
  console.log(`${numbers.prisma} Prisma calls, ${numbers.named} named queries. Why each of these is not Prisma:`);
  for (const [family, why] of reasons) console.log(`  ${family}: ${why}`);
}
