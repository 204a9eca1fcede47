import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../src/config.ts';
import { migrationNames, migrationsFolder } from '../../src/db/migrate.ts';
import { checksumOf } from '../../src/db/migration-checksums.ts';

// A migration that has landed never changes: databases to which it was applied would differ from new ones. So
// prisma/migrations/SHA256SUMS has the checksum of each, in the format of `sha256sum`.

/** The checksums of migrations by their names. */
type Checksums = ReadonlyMap<string, string>;

const fileName = 'SHA256SUMS';
const file = join(migrationsFolder, fileName);

const line = /^([0-9a-f]{64}) {2}([^/]+)\/migration\.sql$/;

/** A line in another format counts as the name of a migration that does not exist, and so is complained of. */
export const readChecksums = (text: string): Checksums =>
  new Map(
    text
      .trimEnd()
      .split('\n')
      .map((one) => {
        const [, checksum = '', name = one] = line.exec(one) ?? [];
        return [name, checksum];
      }),
  );

const textOf = (checksums: Checksums): string =>
  [...checksums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, checksum]) => `${checksum}  ${name}/migration.sql\n`)
    .join('');

const presentChecksums = async (): Promise<Checksums> => {
  const checksums = new Map<string, string>();
  for (const name of await migrationNames()) {
    checksums.set(name, checksumOf(await readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8')));
  }
  return checksums;
};

const write = 'npm run migrations -- --write';

const complaintAbout = (name: string, recorded: string | undefined, present: string | undefined): string[] => {
  if (recorded === present) return [];
  if (recorded === undefined) return [`${name}: it has no line in ${fileName}; write it by ${write}`];
  const rule = 'a migration that has landed never changes, because databases have it already';
  if (present === undefined) return [`${name}: it is in ${fileName}, but not there; ${rule}`];
  return [
    `${name}: its text is not that of ${fileName}; ${rule}. Restore it, and write a further migration. If no commit has it yet, run ${write}`,
  ];
};

export const complaintsAboutChanges = (recorded: Checksums, present: Checksums): string[] =>
  [...new Set([...recorded.keys(), ...present.keys()])]
    .toSorted()
    .flatMap((name) => complaintAbout(name, recorded.get(name), present.get(name)));

/** Complaints about migrations that are not as they have landed. */
export const changedMigrations = async (): Promise<string[]> =>
  complaintsAboutChanges(readChecksums(await readFile(file, 'utf8')), await presentChecksums());

/** A file of the folder `prisma` as the last commit has it. */
export const committed = (path: string): string =>
  execFileSync('git', ['show', `HEAD:./prisma/${path}`], { cwd: projectRoot, encoding: 'utf8' });

/** Writes the lines of migrations that are in no commit yet, and leaves those of the last commit as they are. */
export const writeChecksums = async (): Promise<void> => {
  const landed = readChecksums(committed(`migrations/${fileName}`));
  await writeFile(file, textOf(new Map([...(await presentChecksums()), ...landed])));
};
