import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { hoursToMs, later, secondsToMs } from '../../core/clock.ts';
import { randomText } from '../../core/crypto.ts';
import { isId } from '../../core/ids.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import { toSnake } from '../../core/spelling.ts';
import { exportLimits } from '../../core/limits.ts';
import { runIn } from '../../db/database.ts';
import type { RunQuery, TeamTable } from '../../platform/team-table.ts';
import { inTransaction, type Platform, type Team } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { countInHour, windows } from '../windows/store.ts';
import { teamTables } from './tables.ts';

/** The time limit of the transaction, which must have one. It is longer than any export takes. */
const snapshotTimeoutMs = hoursToMs(24);

/**
 * Writes all data of a team in its state at one moment. The transaction stays open until the last byte is written, and
 * PostgreSQL can't remove dead rows in this time. So this is for an operator who writes to a disk, not for a slow
 * client.
 */
export const exportSnapshot = async (team: Team, out: Writable): Promise<ExportSummary> => {
  const { database, clock } = team.platform;
  await inTransaction(team, async (tx) =>
    record(tx, team, { action: 'team.exported', target: { type: 'team', id: team.id } }),
  );
  return database.transaction(
    (tx) => {
      const source = { tenantId: team.id, madeAt: clock.now(), snapshot: true };
      return writeArchive({ ...source, run: (query, parameters) => runIn(tx, query, parameters) }, out);
    },
    { timeout: snapshotTimeoutMs, group: team.id, isolationLevel: 'RepeatableRead' },
  );
};

/**
 * Writes all data of a team for a client. Each page is read by itself, so that a slow client keeps no transaction open.
 */
export const exportPages = (team: Team, out: Writable): Promise<ExportSummary> => {
  const { database, clock } = team.platform;
  return writeArchive(
    {
      tenantId: team.id,
      madeAt: clock.now(),
      snapshot: false,
      run: (query, parameters) => database.reading(team.id, () => database.run(query, parameters)),
    },
    out,
  );
};

// A download is a GET request, which a page of another site can make a browser send. So it needs a ticket that only a
// procedure of the app gives: for one person and team, for one download within a minute.

const purpose = 'team export';

/** The permission of one user to download the export of one team. */
export interface Ticket {
  tenantId: string;
  userId: string;
  /** Recorded when the ticket is used, so that the ticket works only once. */
  nonce: string;
}

const signedTextOf = ({ tenantId, userId, nonce }: Ticket, expires: string): string =>
  [tenantId, userId, expires, nonce].join('.');

/** Gives the owner a path for one download of the team's export. */
export const allowExport = async (caller: Team): Promise<{ path: string; expiresAt: Date }> => {
  const { platform, actor } = caller;
  const userId = actor.kind === 'person' ? actor.userId : fail('not_found');
  await inLockedTeam(caller, async (tx, team) => {
    if (team.row.deletionStartedAt !== null) fail('api_disabled');
    // The export contains people's scores, which nobody in the team may see while member details are off.
    if (!team.privacy.memberDetail) fail('privacy_restricted');
    const max = exportLimits.perTeamPerHour;
    await countInHour(tx, team, { subject: `exports of ${team.id}`, max, detail: accessMessages.exports(max) });
    record(tx, team, { action: 'team.exported', target: { type: 'team', id: team.id } });
  });
  const expiresAt = later(platform.clock.now(), secondsToMs(exportLimits.ticketSeconds));
  const claim = signedTextOf({ tenantId: caller.id, userId, nonce: randomText(22) }, String(expiresAt.getTime()));
  return { path: `/exports/${claim}.${platform.vault.sign(purpose, claim)}`, expiresAt };
};

/** Reads a ticket without a query of the database; undefined if it was not signed here or has expired. */
export const readTicket = ({ vault, clock }: Platform, text: string): Ticket | undefined => {
  const [tenantId = '', userId = '', expires = '', nonce = '', signature = '', ...more] = text.split('.');
  if (more.length > 0 || !isId(tenantId) || !isId(userId) || !/^\d{1,15}$/.test(expires)) return undefined;
  const ticket = { tenantId, userId, nonce };
  if (!vault.isSigned(purpose, signedTextOf(ticket, expires), signature)) return undefined;
  return Number(expires) > clock.now().getTime() ? ticket : undefined;
};

/** Uses a ticket. Returns false if it was used before. */
export const useTicket = async ({ database }: Platform, { nonce }: Ticket): Promise<boolean> => {
  const { used } = await windows.count(database, { subject: `export ${nonce}`, seconds: 3_600 });
  return used === 1;
};

// The ZIP is streamed. The next page of rows is read when the one before it was written, so the memory does not depend
// on the size of a team.

/** A summary of an export. It is also the last file of the ZIP, `export.json`. */
interface ExportSummary {
  format: 1;
  tenantId: string;
  madeAt: Date;
  /** Whether all files show the same moment. */
  snapshot: boolean;
  /** The number of rows in each file. */
  files: Map<string, number>;
}

interface ExportSource {
  run: RunQuery;
  tenantId: string;
  madeAt: Date;
  snapshot: boolean;
  tables?: readonly TeamTable[];
}

/** The text of a file: a JSON array with one row in each line. */
async function* arrayOf(
  { run, tenantId }: ExportSource,
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
export const writeArchive = async (source: ExportSource, out: Writable): Promise<ExportSummary> => {
  const { tenantId, madeAt, snapshot, tables = teamTables } = source;
  const files = new Map<string, number>();
  const summary: ExportSummary = { format: 1, tenantId, madeAt, snapshot, files };
  const zip = new ZipFile();
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {}); // nobody waits for it once the client has left
  zip.on('error', broken.reject);
  let current: Readable | undefined;
  /** A file is started when the one before it is written. The package does not listen to the errors of a file. */
  const add = (name: string, text: () => Iterable<string> | AsyncIterable<string>): void =>
    zip.addReadStreamLazy(name, { mtime: madeAt }, (begin) => {
      current = Readable.from(text(), { objectMode: false }).on('error', broken.reject);
      begin(null, current);
    });
  for (const table of tables) {
    const { file } = table;
    files.set(file, 0);
    add(file, () => arrayOf(source, table, (rows) => files.set(file, (files.get(file) ?? 0) + rows)));
  }
  add('export.json', () => [`${JSON.stringify(toSnake(summary), null, 2)}\n`]);
  zip.end();

  try {
    await Promise.race([pipeline(zip.outputStream, out), broken.promise]);
  } catch (error) {
    out.destroy();
    throw error;
  } finally {
    current?.destroy();
  }
  return summary;
};
