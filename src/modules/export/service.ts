import type { Writable } from 'node:stream';
import { hoursToMs, later, secondsToMs } from '../../core/clock.ts';
import { randomText } from '../../core/crypto.ts';
import { isId } from '../../core/ids.ts';
import { exportLimits } from '../../core/limits.ts';
import { fail, failUntil } from '../../core/problem.ts';
import { runIn } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { inTransaction } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { windows } from '../windows/store.ts';
import { writeArchive } from './archive.ts';
import type { ExportSummary } from './archive.ts';
import { beginSnapshot } from './store.ts';

export type { ExportSummary } from './archive.ts';

/** Longer than any export takes; a transaction has to have a limit. */
const snapshotTimeout = hoursToMs(24);

/**
 * Writes everything that a team has to a file, as of one moment. The transaction stays open until the last byte is written: meanwhile
 * PostgreSQL can't clean up what is deleted or replaced. So this is for an operator, who writes to a disk and not to a slow client.
 */
export const exportSnapshot = async (team: Team, out: Writable): Promise<ExportSummary> => {
  const { database, clock } = team.platform;
  await inTransaction(team, (tx) =>
    record(tx, team, { action: 'team.exported', target: { type: 'team', id: team.id } }),
  );
  return database.transaction(
    async (tx) => {
      await beginSnapshot(tx);
      const source = { tenantId: team.id, madeAt: clock.now(), snapshot: true };
      return writeArchive({ ...source, run: (query, parameters) => runIn(tx, query, parameters) }, out);
    },
    { timeout: snapshotTimeout, group: team.id },
  );
};

/** The same for a client: each page is read on its own, in the team's turn, so that a slow client holds nothing in the database. */
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

// A download is a plain GET, which any page can make a browser send. So it needs a ticket, which only a call of the app gives: it is for
// one person and team, good for a minute and for one download.

const purpose = 'team export';

/** Who may download the export of which team. */
export interface Ticket {
  tenantId: string;
  userId: string;
  /** Makes it good only once. */
  nonce: string;
}

const claimOf = ({ tenantId, userId, nonce }: Ticket, expires: string): string =>
  [tenantId, userId, expires, nonce].join('.');

const countExport = async (team: Team): Promise<void> =>
  inTransaction(team, async (tx) => {
    const now = team.platform.clock.now();
    const begun = later(now, -hoursToMs(1));
    const subject = `day exports of ${team.id}`;
    const { since = now, used = 1 } = (await windows.add(tx, { subject, now, startedAfter: begun, count: 1 })) ?? {};
    if (used > exportLimits.perTeamPerHour) {
      const detail = `A team can be exported ${exportLimits.perTeamPerHour} times an hour.`;
      failUntil(later(new Date(since), hoursToMs(1)), now, detail);
    }
    await record(tx, team, { action: 'team.exported', target: { type: 'team', id: team.id } });
  });

/** Allows its owner one download of a team's export: the path to get it from. */
export const allowExport = async (caller: Team): Promise<{ path: string; expires_at: string }> => {
  const { platform, actor } = caller;
  const userId = actor.kind === 'person' ? actor.userId : fail('not_found');
  await inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    if (team.row.deletionStartedAt !== null) fail('api_disabled');
    // The export names people with their scores, which nobody of the team is to see while details are off.
    if (!team.privacy.memberDetail) fail('privacy_restricted');
    await countExport({ ...team, tx });
  });
  const expiresAt = later(platform.clock.now(), secondsToMs(exportLimits.ticketSeconds));
  const claim = claimOf({ tenantId: caller.id, userId, nonce: randomText(22) }, String(expiresAt.getTime()));
  return { path: `/exports/${claim}.${platform.vault.sign(purpose, claim)}`, expires_at: expiresAt.toISOString() };
};

/** What a ticket allows; undefined: it was not made here, or its time is over. Costs no look into the database. */
export const readTicket = ({ vault, clock }: Platform, text: string): Ticket | undefined => {
  const [tenantId = '', userId = '', expires = '', nonce = '', signature = '', ...more] = text.split('.');
  if (more.length > 0 || !isId(tenantId) || !isId(userId) || !/^\d{1,15}$/.test(expires)) return undefined;
  const ticket = { tenantId, userId, nonce };
  if (!vault.isSigned(purpose, claimOf(ticket, expires), signature)) return undefined;
  return Number(expires) > clock.now().getTime() ? ticket : undefined;
};

/** Uses a ticket up; false: somebody has used it before. */
export const useTicket = async ({ database }: Platform, { nonce }: Ticket): Promise<boolean> => {
  const counted = { subject: `day export ${nonce}`, seconds: 3_600, most: 0 };
  return (await windows.countTry(database, counted))?.used === 1;
};
