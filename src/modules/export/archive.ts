import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Run, TeamTable } from '../../platform/team-table.ts';
import { teamTables } from './tables.ts';

// The ZIP is never whole anywhere: a page of rows is read when the writer has taken the one before, and the writer goes on when the
// file or the client has taken what it wrote. So the memory that it takes does not depend on how many rows a team has.

/** What an export held, as its last file `export.json` says too. */
export interface ExportSummary {
  format: 1;
  tenant_id: string;
  made_at: string;
  /** Whether all files are of one moment. */
  snapshot: boolean;
  /** Rows in each file. */
  files: Record<string, number>;
}

interface Source {
  run: Run;
  tenantId: string;
  madeAt: Date;
  snapshot: boolean;
  tables?: readonly TeamTable[];
}

/** The text of a file: a JSON array with a line for each row. */
async function* arrayOf(
  { run, tenantId }: Source,
  table: TeamTable,
  count: (rows: number) => void,
): AsyncGenerator<string> {
  let before = '[\n';
  let page = await table.read(run, tenantId);
  while (page.lines.length > 0) {
    yield `${before}${page.lines.join(',\n')}`;
    before = ',\n';
    count(page.lines.length);
    if (!page.next) break;
    page = await table.read(run, tenantId, page.next);
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** Writes a team's export as a ZIP, and ends the writable. */
export const writeArchive = async (source: Source, out: Writable): Promise<ExportSummary> => {
  const { tenantId, madeAt, snapshot, tables = teamTables } = source;
  const files: Record<string, number> = {};
  const summary: ExportSummary = { format: 1, tenant_id: tenantId, made_at: madeAt.toISOString(), snapshot, files };
  const zip = new ZipFile();
  let current: Readable | undefined;
  /** Each file begins when the one before it is written. */
  const add = (name: string, text: () => Iterable<string> | AsyncIterable<string>): void =>
    zip.addReadStreamLazy(name, { mtime: madeAt }, (begin) => {
      current = Readable.from(text(), { objectMode: false });
      begin(null, current);
    });
  for (const table of tables) {
    const { file } = table;
    if (file === undefined) continue;
    files[file] = 0;
    add(file, () => arrayOf(source, table, (rows) => (files[file] = (files[file] ?? 0) + rows)));
  }
  add('export.json', () => [`${JSON.stringify(summary, null, 2)}\n`]);
  zip.end();

  const broken = once(zip, 'error').then(([error]: unknown[]) => {
    throw error;
  });
  broken.catch(() => {});
  try {
    // The types of the package know less of its stream than it is.
    await Promise.race([pipeline(zip.outputStream, out), broken]);
  } catch (error) {
    out.destroy();
    throw error;
  } finally {
    current?.destroy();
  }
  return summary;
};
