import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { isDeactivated } from '../directory/service.ts';
import { ensurePerson, findPerson, knowPerson, personBehind } from '../people/store.ts';
import { findMember } from '../membership/service.ts';
import { members } from '../membership/store.ts';
import { activate } from './acceptance.ts';
import { insertMember } from './invitations.ts';

// The membership of a person who signs in with the team's company account. At the first sign-in it is found by the
// address, which the provider has verified, and later by the provider's id of the person (the subject).

interface CompanyIdentity {
  subject: string;
  email: string;
  name: string | undefined;
  /** The role of a new member. */
  role: 'admin' | 'member';
}

/**
 * Returns the person and the membership, which is active afterwards. The first sign-in links the account to the person's
 * membership, accepts the invitation, or makes a membership.
 */
export const enterWithCompanyAccount = (
  caller: Team,
  { subject, email, name, role }: CompanyIdentity,
): Promise<{ personId: string; memberId: string }> =>
  inLockedTeam(caller, async (tx, locked) => {
    const { platform, row } = locked;
    const linked = (await members.ofIdentity(tx, locked, { userId: undefined, subject, email })).find(
      (member) => member.status === 'active' && member.companySubject === subject,
    );
    if (linked?.userId) {
      const { id: personId } = await personBehind(tx, locked, linked.userId);
      return { personId, memberId: linked.id };
    }

    const person = await ensurePerson(tx, platform, { email, name, language: row.language });
    const userId = await knowPerson(tx, locked, person.id);
    const team = { ...locked, actor: { kind: 'person', userId } as const };
    const found = await members.ofIdentity(tx, team, { userId, subject, email });
    const present = found.find(({ status }) => status === 'active') ?? found.find(({ status }) => status === 'invited');
    if (!present) {
      // The provider may still have accounts of former members. Only an admin or the directory lets them in again.
      const hasLeft = found.length > 0 || (await isDeactivated(tx, team, email));
      if (hasLeft) fail('conflict', { detail: companyMessages.removed });
      if ((await members.countPresent(tx, team)) >= row.seats) {
        fail('seat_limit_reached', { detail: companyMessages.noSeat });
      }
      const joined = await insertMember(tx, team, { email, role, userId, companySubject: subject });
      return { personId: person.id, memberId: joined.id };
    }
    const { id, status } = present;
    // An address may get a new holder, but an account of the provider does not.
    const isOther = present.companySubject !== null || (present.userId !== null && present.userId !== userId);
    if (isOther) fail('conflict', { detail: companyMessages.otherAccount });
    if (status === 'active') {
      await members.setSubject(tx, team, id, subject);
      return { personId: person.id, memberId: id };
    }
    await activate(tx, team, id, userId);
    await members.setSubject(tx, team, id, subject);
    record(tx, team, {
      action: 'member.accepted',
      target: { type: 'member', id },
      data: { with: 'company_account' },
    });
    return { personId: person.id, memberId: id };
  });

/** The result of a test sign-in: the member that a real sign-in would find or make. */
export interface WouldBe {
  readonly email: string;
  readonly name: string | null;
  readonly role: 'owner' | 'admin' | 'member';
  /** Whether they would join the team. */
  readonly joins: boolean;
}

/** Which member a person would be after signing in. Runs the real sign-in, with all its refusals, and rolls it back. */
export const tryCompanyAccount = async (caller: Team, identity: CompanyIdentity): Promise<WouldBe> => {
  const rollback = new Error('a test has no effect');
  let wouldBe: WouldBe | undefined;
  const trial = caller.platform.database.transaction(async (tx) => {
    const before = new Set(await members.activeUsers(tx, caller));
    const { personId } = await enterWithCompanyAccount({ ...caller, tx }, identity);
    const { subject, email } = identity;
    const found = await members.ofIdentity(tx, caller, { userId: undefined, subject, email });
    const own = found.find(({ status, companySubject }) => status === 'active' && companySubject === subject);
    const { role, userId } = await findMember(tx, caller, own?.id ?? '');
    const person = await findPerson(tx, personId);
    wouldBe = { email: person?.email ?? email, name: person?.name ?? null, role, joins: !before.has(userId) };
    throw rollback;
  });
  await trial.catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return wouldBe ?? fail('internal');
};

/** Called when the provider is changed or removed. Afterwards each account is linked again by its address. */
export const forgetCompanySubjects = async (tx: Tx, team: Team): Promise<void> => {
  await members.forgetSubjects(tx, team);
};
