import { z } from 'zod';
import { isId, makeId } from '../../core/ids.ts';
import { english, type Message, type Texts } from '../../core/language.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { beyondTeams } from '../../db/row-security.ts';
import type { Member } from '../../db/generated/client.ts';
import { jobs, rewritingTask } from '../../platform/jobs.ts';
import { inTransaction, type Platform, type Actor, type Team } from '../../platform/team.ts';
import { actIn, lockTeam, type LockedTeam } from '../../platform/team-row.ts';
import { assignments } from '../assignments/store.ts';
import { record } from '../audit/service.ts';
import { connections } from '../crm/store.ts';
import { noteDeleted } from '../deletions/service.ts';
import { forgetPerson, teamsWithDirectoryUser } from '../directory/service.ts';
import { removeMember } from '../members/service.ts';
import { waitingInvitations } from '../members/store.ts';
import { erasedMembers, isPlaceholder, members, placeholderEmail } from '../membership/store.ts';
import { erasedPeople, personBehind } from '../people/store.ts';
import { removeSignIns } from '../sign-ins/store.ts';
import { updateListedOf } from '../trainings/service.ts';
import { endpoints } from '../webhooks/store.ts';
import { isNamedIn, steps } from './steps.ts';
import { erasures, type ErasureKey } from './store.ts';

// An erasure begins with one transaction. After its commit the membership has ended and no list shows it. A job does
// the rest, in batches (`steps.ts`); how long it takes depends on the data of the team. Rows that must refer to a user
// or a member then refer to a placeholder: a member with new ids and the name “Erased person”. The placeholder is a
// former member, or the owner if the erased person owned a team that has ended.

/** The person to be erased, with the data that one team has. */
interface ErasedPerson {
  userId: string | null;
  memberships: readonly Member[];
  emails: string[];
  names: string[];
  /** The id of the account, if the person has one. */
  personId: string | null;
}

const placeholderNames: Texts = { de: 'Gelöschte Person', en: 'Erased person' };

/**
 * Refuses an erasure while a URL contains the address. The URL would not work with another text, so the customer must
 * change it.
 */
const requireNoUrlNaming = async (tx: Tx, team: Team, { emails }: ErasedPerson): Promise<void> => {
  const refuse = (rows: readonly { id: string; url: string | null }[], refusal: (id: string) => Message): void => {
    for (const { id, url } of rows) {
      if (url !== null && emails.some((email) => isNamedIn(url, email))) fail('conflict', { detail: refusal(id) });
    }
  };
  refuse(await endpoints.urls(tx, team.id), memberMessages.addressInEndpoint);
  refuse(await connections.urls(tx, team.id), memberMessages.addressInConnection);
};

/** Inserts the placeholder, hides the person's memberships and adds the job that does the rest. */
const begin = async (tx: Tx, team: LockedTeam, subject: ErasedPerson): Promise<ErasureKey> => {
  await requireNoUrlNaming(tx, team, subject);
  const now = team.platform.clock.now();
  const { language } = team.row;
  const placeholder = { userId: makeId(), memberId: makeId() };
  const email = placeholderEmail(placeholder.memberId);
  await erasedPeople.insertPlaceholder(tx, {
    tenantId: team.id,
    userId: placeholder.userId,
    email,
    name: placeholderNames[language],
    language,
    createdAt: now,
  });
  // Every team has an owner. The owner of a team that has ended can be erased, so the placeholder becomes the owner.
  const owned = subject.memberships.find(({ role, status }) => role === 'owner' && status !== 'ended');
  for (const { id, status } of subject.memberships) {
    await erasedMembers.hideEmail(tx, team, id, now);
    if (status === 'ended') continue;
    await members.update(tx, team, id, { role: 'member', status: 'ended', endedAt: now, updatedAt: now });
    await noteDeleted(tx, team, 'users', [id], now);
  }
  const memberIds = subject.memberships.map(({ id }) => id);
  await forgetPerson(tx, team.id, { memberIds, addresses: subject.emails });
  // The assignments show the address of the member, which has just changed. The job deletes the assignments later.
  await assignments.touchOfMembers(tx, team.id, memberIds, now);
  if (subject.userId !== null) await updateListedOf(tx, team, subject.userId);
  const [first] = subject.memberships;
  const since = {
    listedAt: first?.listedAt ?? now,
    createdAt: first?.createdAt ?? now,
    joinedAt: first?.joinedAt ?? now,
  };
  await members.insert(tx, team, {
    id: placeholder.memberId,
    userId: placeholder.userId,
    email,
    ...since,
    updatedAt: now,
    ...(owned ? { role: 'owner', status: 'active' } : { status: 'ended', endedAt: now }),
  });
  record(tx, team, { action: 'member.erased', target: { type: 'member', id: placeholder.memberId } });

  const key = { tenantId: team.id, id: makeId() };
  await erasures.insert(tx, {
    ...key,
    userId: subject.userId,
    memberIds,
    emails: subject.emails,
    names: subject.names,
    personId: subject.personId,
    placeholderUserId: placeholder.userId,
    placeholderMemberId: placeholder.memberId,
    step: steps[0].name,
    createdAt: now,
  });
  await jobs.add(tx, erasureTask.job(key));
  return key;
};

/** Removes sign-ins, name and address from an account. The erasure that ends last deletes the account. */
const disableAccount = async (tx: Tx, personId: string): Promise<void> => {
  await removeSignIns(tx, personId);
  await erasedPeople.disable(tx, personId, placeholderEmail(makeId()));
};

const namesOf = (name: string | null | undefined): string[] =>
  name === null || name === undefined || name.trim() === '' ? [] : [name];

const findFormer = async (tx: Tx, team: Team, memberId: string) => {
  const member = (isId(memberId) ? await members.find(tx, team, memberId) : undefined) ?? fail('not_found');
  if (isPlaceholder(member.email)) fail('not_found');
  const { userId, email } = member;
  const person = userId === null ? await erasedPeople.byEmail(tx, email) : await personBehind(tx, team, userId);
  return { member, person };
};

/** Whether a team that is not erasing the person has data of them. Call it under the person's lock. */
const isKnownElsewhere = async (tx: Tx, team: Team, personId: string, email: string): Promise<boolean> => {
  // The erasures are read before the users, because an erasure that ends in between has deleted its user.
  const erasing = new Set([team.id, ...(await erasures.teamsErasing(tx, personId))]);
  const users = await erasedPeople.teamsOf(tx, personId);
  const memberships = await erasedMembers.byEmail(tx, email);
  return (
    users.some(({ tenantId }) => !erasing.has(tenantId)) || memberships.some(({ tenantId }) => tenantId !== team.id)
  );
};

/**
 * Erases a former member from a team's data. The account is disabled and deleted only if no other team has it, because
 * the owner of one team can't decide for another.
 */
export const eraseFormerMember = (caller: Team, memberId: string): Promise<void> =>
  beyondTeams('other teams', () => inTransaction(caller, (tx) => eraseIn(tx, caller, memberId)));

const eraseIn = async (tx: Tx, caller: Team, memberId: string): Promise<void> => {
  const before = await findFormer(tx, caller, memberId);
  // The person is locked before the team, as in `erasePerson`. If two teams erase the same person at the same time, the
  // second one sees that the first one has begun, and disables the account.
  if (before.person) erasedPeople.lock(tx, before.person.id);
  const team = await lockTeam(tx, caller);
  const { member, person } = await findFormer(tx, team, memberId);
  const { userId } = member;
  const emails = [...new Set([member.email, ...(person ? [person.email] : [])])];
  const memberships = await erasedMembers.ofPerson(tx, team, { userId, emails });
  if (memberships.some(({ status }) => status !== 'ended')) fail('conflict', { detail: memberMessages.stillMember });
  const ends = person && !(await isKnownElsewhere(tx, team, person.id, member.email));
  await begin(tx, team, { userId, memberships, emails, names: namesOf(person?.name), personId: person?.id ?? null });
  if (ends) await disableAccount(tx, person.id);
};

/** Locks the person with this address against other erasures. */
const lockPersonWith = async (tx: Tx, email: string): Promise<void> => {
  const person = await erasedPeople.byEmail(tx, email);
  if (person) erasedPeople.lock(tx, person.id);
};

/**
 * The teams in which an address has a user, a membership, a waiting invitation or an entry of the directory, with the
 * user's id in each team.
 */
const teamsKnowing = async (tx: Tx, email: string) => {
  const person = await erasedPeople.byEmail(tx, email);
  const users = person ? await erasedPeople.teamsOf(tx, person.id) : [];
  const invited = await erasedMembers.byEmail(tx, email);
  const known = new Set([...users, ...invited].map(({ tenantId }) => tenantId));
  const mentioning = [
    ...(await waitingInvitations.teamsInviting(tx, email)),
    ...(await teamsWithDirectoryUser(tx, email)),
  ];
  const ids = [...new Set([...known, ...mentioning])].toSorted();
  return {
    person,
    ids,
    known,
    userIn: (tenantId: string) => users.find((user) => user.tenantId === tenantId)?.id ?? null,
  };
};

/** Ends a person's memberships in a team, for the operator. The owner of a team that has not ended can't be erased. */
const endMemberships = async (tx: Tx, team: LockedTeam, memberships: readonly Member[]): Promise<void> => {
  if (team.row.status === 'ended') return;
  for (const { id, role, status } of memberships) {
    if (status === 'ended') continue;
    if (role === 'owner')
      fail('owner', { detail: english(`The person owns the team ${team.id}. Hand it over or end it first.`) });
    await removeMember({ ...team, tx }, id);
  }
};

/**
 * Begins the erasure of a person from all teams, and of the account. If it is refused for one team, none begins.
 * Returns all erasures that are not finished, also those of an earlier call.
 */
export const erasePerson = (platform: Platform, actor: Actor, email: string): Promise<ErasureKey[]> =>
  platform.database.transaction(async (tx) => {
    await lockPersonWith(tx, email);
    const { person, ids, known, userIn } = await teamsKnowing(tx, email);
    const begun = await erasures.lookingFor(tx, email);
    if (!person && ids.length === 0 && begun.length === 0) {
      return fail('not_found', { detail: english('No account, membership or waiting invitation has this address.') });
    }
    const keys = begun.map(({ tenantId, id }) => ({ tenantId, id }));
    const personId = person?.id ?? null;
    for (const id of ids) {
      const team = await lockTeam(tx, { ...(await actIn(platform, actor, id, tx)), tx });
      const wanted = { userId: userIn(id), emails: [email] };
      await endMemberships(tx, team, await erasedMembers.ofPerson(tx, team, wanted));
      const memberships = await erasedMembers.ofPerson(tx, team, wanted);
      if (!known.has(id) && memberships.length === 0) {
        // In this team the person has only a waiting invitation, or an entry of the directory.
        await forgetPerson(tx, id, { memberIds: [], addresses: [email] });
        const invitations = await waitingInvitations.removeEmails(tx, id, [email]);
        if (invitations === 0) continue;
        record(tx, team, {
          action: 'invitation.canceled',
          target: { type: 'team', id },
          data: { invitations },
        });
        continue;
      }
      // The team's owner has already begun to erase this person from the team.
      if (memberships.length > 0 && memberships.every((membership) => isPlaceholder(membership.email))) continue;
      keys.push(await begin(tx, team, { ...wanted, memberships, names: namesOf(person?.name), personId }));
    }
    if (person) {
      await disableAccount(tx, person.id);
      // Without an erasure from a team, no job would delete the account.
      if (keys.length === 0) await erasedPeople.removeUnknown(tx, person.id);
    }
    return keys;
  });

/**
 * If this version has no step with this name, the erasure starts again with the first step. Steps that are already done
 * find no data.
 */
const indexOf = (name: string): number =>
  Math.max(
    0,
    steps.findIndex((step) => step.name === name),
  );

const nextBatch = ({ database, clock }: Platform, key: ErasureKey): Promise<boolean> =>
  database.transaction(
    async (tx) => {
      const erasure = await erasures.lock(tx, key);
      if (!erasure) return false;
      const index = indexOf(erasure.step);
      const step = steps[index] ?? steps[0];
      const next = await step.run(tx, erasure, { position: erasure.position, now: clock.now() });
      const following = next ? step : steps[index + 1];
      if (following)
        await erasures.update(tx, key, { step: following.name, position: [...(next ?? [])], failedAt: null });
      else await erasures.remove(tx, key);
      return following !== undefined;
    },
    { group: key.tenantId },
  );

/**
 * Runs the next batch of an erasure. Returns whether another one follows. A failure is recorded for the owner's page.
 */
export const eraseNext = async (platform: Platform, key: ErasureKey): Promise<boolean> => {
  try {
    return await nextBatch(platform, key);
  } catch (error) {
    // If the database can't be reached, this fails, too. The first error is thrown.
    await erasures.setFailed(platform.database, key, platform.clock.now()).catch(() => undefined);
    throw error;
  }
};

/** The team's unfinished erasures, without the names of the persons. */
export const listRunning = async ({ id, platform }: Team) =>
  (await erasures.running(platform.database, id)).map(({ createdAt, failedAt }) => ({
    startedAt: createdAt,
    failedAt,
  }));

/** How many erasures of all teams failed and are not finished, and how long ago the oldest unfinished one began. */
export const erasureState = async ({ database, clock }: Platform) => {
  const { failed, oldestAt } = await erasures.state(database);
  return { failed, oldestSeconds: oldestAt === null ? 0 : (clock.now().getTime() - oldestAt.getTime()) / 1000 };
};

/** Runs an erasure to its end. */
export const eraseAll = async (platform: Platform, key: ErasureKey): Promise<void> => {
  while (await eraseNext(platform, key));
};

export const erasureTask = rewritingTask({
  name: 'erase_person',
  payload: z.object({ tenantId: z.uuid(), id: z.uuid() }),
  next: eraseNext,
});

/** Adds the jobs of the oldest unfinished erasures, in case a job was lost or has used up its tries. */
export const addLostErasureJobs = async ({ database }: Platform): Promise<void> =>
  jobs.add(database, ...(await erasures.unfinished(database)).map(erasureTask.job));
