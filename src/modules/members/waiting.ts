import { hoursToMs, later, minutesToMs, secondsToMs } from '../../core/clock.ts';
import { isId, makeId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { fail, Problem, problemCodes } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import { forTeam } from '../../db/row-security.ts';
import { jobs, ownPriority, type Job } from '../../platform/jobs.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { actIn, inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { Email } from '../../platform/values.ts';
import { windows } from '../windows/store.ts';
import { inviteMember, invitationsInHour } from './invitations.ts';
import { members } from '../membership/store.ts';
import * as schema from './schema.ts';
import { waitingInvitations } from './store.ts';

// Invitations beyond the limits of an hour or a day wait. Each team with waiting invitations has one job, which runs
// when the next of them is due and sends as many as the hour still allows.

export const sendWaitingTask = 'send_waiting_invitations';

const keyOfJob = (tenantId: string): string => `${sendWaitingTask} ${tenantId}`;

const sendingJob = (tenantId: string, inMs = 0): Job => ({
  task: sendWaitingTask,
  payload: { tenantId },
  key: keyOfJob(tenantId),
  priority: ownPriority,
  inMs,
});

/** Sets the time of the team's job to the time of the next invitation. Call it under the team's lock. */
const schedule = async (tx: Tx, team: LockedTeam): Promise<void> => {
  const { dueAt } = await waitingInvitations.sum(tx, team);
  if (dueAt === null) return jobs.remove(tx, keyOfJob(team.id));
  const inMs = Math.max(0, dueAt.getTime() - team.platform.clock.now().getTime());
  return jobs.add(tx, sendingJob(team.id, inMs));
};

interface LimitedInvitation {
  email: string;
  role: 'admin' | 'member';
  externalId: string | null;
  name: string | null;
  lang: Language | null;
  /** After how many seconds the limit allows this invitation. */
  waitSeconds: number;
}

type QueueOutcome = 'waiting' | 'conflict' | 'external_id_taken' | 'seat_limit_reached';

/**
 * Lets invitations wait. Those that already wait count as seats here, so that no more invitations wait than can be
 * sent.
 */
const queueInvitations = async (caller: Team, wanted: readonly LimitedInvitation[]): Promise<QueueOutcome[]> => {
  const { actor } = caller;
  if (wanted.length === 0) return [];
  if (actor.kind !== 'person') throw new Error('only invitations of a person can wait');
  return inLockedTeam(caller, async (tx, team) => {
    const now = team.platform.clock.now();
    const emails = wanted.map(({ email }) => email);
    const taken = new Set([
      ...(await members.withEmails(tx, team, emails)).map(({ email }) => email),
      ...(await waitingInvitations.withEmails(tx, team, emails)).map(({ email }) => email),
    ]);
    const externalIds = wanted.flatMap(({ externalId }) => externalId ?? []);
    const takenIds = new Set([
      ...(await members.externalIdsAmong(tx, team, externalIds)),
      ...(await waitingInvitations.externalIdsAmong(tx, team, externalIds)),
    ]);
    const { count } = await waitingInvitations.sum(tx, team);
    let free = team.row.seats - (await members.countPresent(tx, team)) - count;
    const queued = wanted.map(({ email, externalId }): QueueOutcome => {
      if (taken.has(email)) return 'conflict';
      if (externalId !== null && takenIds.has(externalId)) return 'external_id_taken';
      if (free <= 0) return 'seat_limit_reached';
      free -= 1;
      taken.add(email);
      takenIds.add(externalId);
      return 'waiting';
    });
    const rows = wanted
      .filter((_, index) => queued[index] === 'waiting')
      .map(({ email, role, externalId, name, lang, waitSeconds }, index) => ({
        id: makeId(),
        email,
        externalId,
        name,
        role,
        language: lang,
        invitedBy: actor.userId,
        dueAt: later(now, secondsToMs(waitSeconds)),
        // The times are one millisecond apart, so that the invitations keep the order of the list.
        createdAt: later(now, index),
      }));
    if (rows.length > 0) {
      await waitingInvitations.insert(tx, team, rows);
      const target = { type: 'team', id: team.id } as const;
      record(tx, team, { action: 'invitation.queued', target, data: { invitations: rows.length } });
      await schedule(tx, team);
    }
    return queued;
  });
};

type InvitationResult = Camel<schema.InvitationResult>;
type NewInvitation = Camel<schema.NewInvitation>;

const invitePerson = async (team: Team, { email, ...wanted }: NewInvitation): Promise<InvitationResult> => {
  const read = Email.safeParse(email);
  if (!read.success) return { email, outcome: 'invalid', memberId: null };
  try {
    const { id: memberId } = await inviteMember(team, { email: read.data, ...wanted });
    return { email, outcome: 'invited', memberId };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The code `conflict` also means that the address is taken, so this reason is recognised by its text.
    if (error.spoken.detail === memberMessages.externalIdTaken) {
      return { email, outcome: 'external_id_taken', memberId: null };
    }
    const outcome = schema.invitationRefusals.find((code) => code === error.code);
    if (!outcome) throw error;
    const { retry_after: retryAfter } = error.members;
    return { email, outcome, memberId: null, ...(retryAfter !== undefined && { retryAfter }) };
  }
};

/**
 * Invites people one after the other, each in its own transaction, so that one refusal does not stop the others.
 * Invitations beyond a limit of the hour or the day wait until the worker may send them.
 */
export const invitePeople = async (team: Team, people: readonly NewInvitation[]): Promise<InvitationResult[]> => {
  const results: InvitationResult[] = [];
  for (const person of people) results.push(await invitePerson(team, person));
  const limited = results.flatMap(({ outcome, retryAfter = 0 }, index) => {
    const person = people[index];
    return outcome === 'rate_limited' && person ? [{ index, person, waitSeconds: retryAfter }] : [];
  });
  const queued = await queueInvitations(
    team,
    limited.map(({ person: { email, role, externalId = null, name = null, lang = null }, waitSeconds }) => ({
      email: Email.parse(email),
      role,
      externalId,
      name,
      lang,
      waitSeconds,
    })),
  );
  for (const [at, { index }] of limited.entries()) {
    const [result, outcome] = [results[index], queued[at]];
    if (!result || !outcome) continue;
    // Only waiting invitations are sent later, so only their results keep `retryAfter`.
    const { retryAfter, ...rest } = result;
    results[index] = { ...rest, outcome, ...(outcome === 'waiting' && retryAfter !== undefined && { retryAfter }) };
  }
  return results;
};

/** The reader sees at most this many of the waiting invitations. */
const maxListed = 200;

export const listWaiting = async (team: Team) => {
  const { prisma } = team.platform.database;
  const { count, dueAt } = await waitingInvitations.sum(prisma, team);
  const rows = count === 0 ? [] : await waitingInvitations.first(prisma, team, maxListed);
  return {
    count,
    nextAt: dueAt,
    data: rows.map(({ id, email, name, role, language: lang, dueAt: due, refusal }) => ({
      id,
      email,
      name,
      role,
      lang,
      dueAt: due,
      refusal: problemCodes.find((code) => code === refusal) ?? null,
    })),
  };
};

/** Cancels these waiting invitations, or all. Returns how many still waited. */
export const cancelWaiting = (caller: Team, ids?: readonly string[]): Promise<number> =>
  inLockedTeam(caller, async (tx, team) => {
    const canceled = await waitingInvitations.remove(tx, team, ids?.filter(isId));
    if (canceled === 0) return 0;
    const target = { type: 'team', id: team.id } as const;
    record(tx, team, { action: 'invitation.canceled', target, data: { invitations: canceled } });
    await schedule(tx, team);
    return canceled;
  });

type DueInvitation = Awaited<ReturnType<typeof waitingInvitations.due>>[number];

/**
 * If an invitation was refused for another reason than a limit, it is tried again after this time, because a seat may
 * be free by then.
 */
const refusedForMs = hoursToMs(1);

/**
 * Sends a waiting invitation, in the name of the person who invited. If a rule refuses it, it gets a later time. If its
 * address belongs to a member by now, it is deleted.
 */
const send = async (
  team: Team,
  { id, email, externalId, name, role, language, invitedBy }: DueInvitation,
): Promise<void> => {
  try {
    await inLockedTeam(team, async (tx, { row }) => {
      if (row.status !== 'active') fail('api_disabled');
      // The invitation was canceled or sent in the meantime.
      if ((await waitingInvitations.remove(tx, team, [id])) === 0) return;
      const inviter: Team = { ...team, actor: { kind: 'person', userId: invitedBy }, tx };
      const kept = { email, externalId, name, lang: language };
      await inviteMember(inviter, { ...kept, role: role === 'admin' ? 'admin' : 'member' });
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    const { code } = error;
    const { retry_after: wait } = error.members;
    const dueAt = later(team.platform.clock.now(), wait === undefined ? refusedForMs : secondsToMs(wait));
    await inLockedTeam(team, async (tx) => {
      if (code === 'conflict' && (await members.hasEmail(tx, team, email))) {
        await waitingInvitations.remove(tx, team, [id]);
      } else await waitingInvitations.putOff(tx, team, id, { dueAt, refusal: code === 'rate_limited' ? null : code });
    });
  }
};

/**
 * Sends the waiting invitations of a team that are due, as many as the limit of its hour allows. Runs like a request,
 * so that the invitations count against the same limits.
 */
export const sendWaiting = (platform: Platform, tenantId: string): Promise<void> =>
  forTeam(tenantId, async () => sendDue(await actIn(platform, { kind: 'service' }, tenantId)));

const sendDue = async (team: Team): Promise<void> => {
  const { database, clock } = team.platform;
  const hour = await windows.current(database, invitationsInHour(team), clock.now());
  const left = limits.invitationsPerHour - (hour?.used ?? 0);
  const due = left > 0 ? await waitingInvitations.due(database.prisma, team, clock.now(), left) : [];
  for (const waiting of due) await send(team, waiting);
  await inLockedTeam(team, async (tx, locked) => {
    if (hour && left <= 0) await waitingInvitations.putAllOff(tx, team, clock.now(), hour.endsAt);
    await schedule(tx, locked);
  });
};

/** If an invitation has been overdue for this long, its job was lost or has used up its tries. */
const lostAfterMs = minutesToMs(10);

export const addLostSendingJobs = async ({ database, clock }: Platform): Promise<void> => {
  const overdue = await waitingInvitations.teamsWithDue(database, later(clock.now(), -lostAfterMs));
  await jobs.add(database, ...overdue.map((tenantId) => sendingJob(tenantId)));
};
