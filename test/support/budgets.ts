import { daysToMs, hoursToMs, later, utcDay } from '../../src/core/clock.ts';
import { invitationsInHour } from '../../src/modules/members/invitations.ts';
import { subjectOf, type TrySubject } from '../../src/modules/sign-ins/tries.ts';
import { windows } from '../../src/modules/windows/store.ts';
import { rowsOf, statement, onEachNode } from './postgres.ts';
import type { TestService } from './service.ts';

const shift = statement<{ subject: string }, [subject: string, milliseconds: number]>(
  `update request_budget set started_at = started_at - $2 * interval '1 millisecond' where subject = $1 returning subject::text`,
);
const look = statement<{ used: number; version: string; row_locked_by: string }, [subject: string]>(
  `select used, xmin::text as version, xmax::text as row_locked_by from request_budget where subject = $1`,
);
const fill = statement<{ subject: string }, [subject: string, used: number]>(
  `insert into request_budget (subject, started_at, used) values ($1, clock_timestamp(), $2)
     on conflict (subject) do update set started_at = excluded.started_at, used = excluded.used returning subject::text`,
);

export const keyBudget = (id: string): string => id;
export const teamBudget = (id: string): string => id;
/** The budget of an IPv4 address has the address's number as its id, in the format of a UUID. */
export const addressBudget = (address: string): string => {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return `00000000-0000-0000-0000-ffff${bytes.join('')}`;
};

/** Moves the start of a budget's minute into the past. */
export const age = async ({ database }: TestService, subject: string, milliseconds: number): Promise<void> => {
  const touched = await onEachNode(database, () => rowsOf(database, shift, subject, milliseconds));
  if (touched.flat().length === 0) throw new Error(`nobody has used ${subject} yet`);
};

/** A budget with `used` requests in the minute that begins now. */
export const spend = async ({ database }: TestService, subject: string, used: number): Promise<void> => {
  await onEachNode(database, () => rowsOf(database, fill, subject, used));
};

/**
 * A budget's row with the system columns that show whether it was written or locked; undefined before the first use. On
 * several nodes, of which one counts, that of the node that counted most.
 */
export const budgetRow = async ({ database }: TestService, subject: string) => {
  const rows = (await onEachNode(database, () => rowsOf(database, look, subject))).flat();
  return rows.toSorted((a, b) => b.used - a.used)[0];
};

export const usedOf = async (service: TestService, subject: string): Promise<number> =>
  (await budgetRow(service, subject))?.used ?? 0;

/** A window in which `used` were counted under a subject, on each node. */
const setWindow = async ({ database }: TestService, subject: string, window: { used: number; endsAt: Date }) => {
  const upserted = { where: { subject }, create: { subject, ...window }, update: window };
  await onEachNode(database, async () => database.prisma.rateWindow.upsert(upserted));
};

/** Sets how many invitations a team has sent in the hour that ends at this time, by default in an hour from now. */
export const setInvitationsInHour = (
  service: TestService,
  team: { id: string },
  used: number,
  endsAt = later(service.clock.now(), hoursToMs(1)),
): Promise<void> => setWindow(service, invitationsInHour(team), { used, endsAt });

/** As if so many mails had been counted under this subject today. */
export const setMailsToday = (service: TestService, subject: string, used: number): Promise<void> => {
  const endsAt = new Date(`${utcDay(later(service.clock.now(), daysToMs(1)))}T00:00:00.000Z`);
  return setWindow(service, subject, { used, endsAt });
};

export const invitationsCounted = async ({ database }: TestService, team: { id: string }): Promise<number> => {
  const where = { subject: invitationsInHour(team) };
  const windows = await onEachNode(database, async () => database.prisma.rateWindow.findFirst({ where }));
  return windows.reduce((sum, window) => sum + (window?.used ?? 0), 0);
};

/** Counts many tries in one statement. Each real one would take a request, and some a hash. */
export const countTries = async (
  { database }: TestService,
  { seconds, count, ...subject }: TrySubject & { seconds: number; count: number },
): Promise<void> => {
  await windows.count(database, { subject: subjectOf(subject), seconds, count });
};
