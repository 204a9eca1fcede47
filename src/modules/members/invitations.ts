import { daysToMs, later } from '../../core/clock.ts';
import { randomText, sha256 } from '../../core/crypto.ts';
import { canonicalEmail } from '../../core/email-address.ts';
import { isId, makeId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import { memberMessages, signInMessages } from '../../core/messages/people.ts';
import { quotable } from '../../core/name-text.ts';
import { hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { inLockedTeam, type LockedTeam } from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import { record } from '../audit/service.ts';
import { linkMember, returningLater } from '../directory/service.ts';
import { queueMails } from '../mail/service.ts';
import { mailTemplate } from '../mail/template.ts';
import { ensurePerson, knowPerson } from '../people/store.ts';
import { updateListedOf } from '../trainings/service.ts';
import { countInHour } from '../windows/store.ts';
import { reports } from '../reporting/store.ts';
import { findMember, withoutRights, type Member, type Membership } from '../membership/service.ts';
import { members } from '../membership/store.ts';
import { eventOf, memberJoined } from './events.ts';
import { requireFreeExternalId, requireRightToGrantAdmin } from './roles.ts';
import type { KnownAddress } from './schema.ts';
import { invitations, waitingInvitations } from './store.ts';

export interface NewMembership {
  email: string;
  role: 'admin' | 'member';
  rights?: readonly string[];
  externalId?: string | null | undefined;
  /** The name that is shown until the person has a name of their own. */
  name?: string | null | undefined;
}

/** Data of a new member who does not join by an invitation alone. With a user, the member is active at once. */
interface JoiningUser {
  userId?: string | undefined;
  companySubject?: string | null | undefined;
  /**
   * The person of the customer's directory, and their name in it. By default, the person to whom the directory assigns
   * the address.
   */
  directoryUser?: { id: string; name: string | null } | undefined;
}

/**
 * Inserts an invited member, or an active one if its user is given. The owner and every active or invited member take
 * one seat each. Raises `member.joined`. If the customer's directory has an entry of the person, the entry is linked to
 * the member.
 */
export const insertMember = async (
  tx: Tx,
  team: LockedTeam,
  { email, role, rights = [], userId, companySubject, directoryUser, ...given }: NewMembership & JoiningUser,
): Promise<Membership> => {
  const returning = directoryUser === undefined ? returningLater(tx, team, email) : undefined;
  if (await members.hasEmail(tx, team, email)) fail('conflict', { detail: memberMessages.emailTaken });
  const known = await returning?.();
  // In the directory, the address belongs to a member who signs in with another address.
  if (known?.isMember) fail('conflict', { detail: memberMessages.emailTaken });
  const person = directoryUser ?? known;
  const externalId = given.externalId ?? known?.externalId ?? null;
  await requireFreeExternalId(tx, team, externalId);
  if ((await members.countPresent(tx, team)) >= team.row.seats) fail('seat_limit_reached');
  const now = team.platform.clock.now();
  const id = makeId();
  const since = userId === undefined ? { invitedAt: now } : { userId, joinedAt: now };
  const status = userId === undefined ? 'invited' : 'active';
  await members.insert(tx, team, {
    id,
    email,
    externalId,
    directoryName: person?.name ?? null,
    invitedName: given.name ?? null,
    role,
    status,
    rights: [...rights],
    companySubject: companySubject ?? null,
    ...since,
    listedAt: now,
    createdAt: now,
    updatedAt: now,
  });
  if (person !== undefined) await linkMember(tx, team, person.id, { memberId: id, email });
  if (userId !== undefined) await updateListedOf(tx, team, userId);
  await waitingInvitations.removeEmails(tx, team.id, [email]);
  const member = await findMember(tx, team, id);
  raise(tx, team, memberJoined, eventOf(member));
  const data = { role, status, ...((companySubject ?? null) !== null && { with: 'company_account' }) };
  record(tx, team, { action: 'member.joined', target: { type: 'member', id }, data });
  return member;
};

/**
 * Invites a person by email. The membership exists from now on and takes a seat, even if the invitation is never
 * accepted.
 */
export const inviteMember = (
  caller: Team,
  { lang, ...wanted }: NewMembership & { lang?: Language | null | undefined },
): Promise<Member> =>
  inLockedTeam(caller, async (tx, team) => {
    if (wanted.role === 'admin') await requireRightToGrantAdmin(tx, team);
    const member = await insertMember(tx, team, wanted);
    await countInvitation(tx, team);
    await sendInvitation(tx, team, { member, teamName: team.row.name, language: lang ?? team.row.language });
    return withoutRights(member);
  });

/**
 * Adds a person of the customer's directory. This does not count as one of the team's invitations of the hour. Without
 * `byMail` no mail is sent: the person joins by signing in with the company account, or is active at once if their user
 * is given.
 */
export const addFromDirectory = async (
  tx: Tx,
  team: LockedTeam,
  {
    lang,
    byMail,
    ...wanted
  }: NewMembership &
    JoiningUser & { directoryUser: { id: string; name: string | null }; lang: Language | undefined; byMail: boolean },
): Promise<void> => {
  if (wanted.role === 'admin') await requireRightToGrantAdmin(tx, team);
  const { userId } = wanted;
  if (userId !== undefined && (await members.hasUser(tx, team, userId))) {
    fail('conflict', { detail: signInMessages.memberWithOtherAddress });
  }
  const member = await insertMember(tx, team, wanted);
  if (byMail) {
    await sendInvitation(tx, team, { member, teamName: team.row.name, language: lang ?? team.row.language });
  }
};

/** Adds an invited member without a mail, for the demo. Nobody has the link, and the invitation is not counted. */
export const addInvitedMember = (caller: Team, wanted: NewMembership): Promise<Member> =>
  inLockedTeam(caller, async (tx, team) => {
    const member = await insertMember(tx, team, wanted);
    await createInvitation(tx, team, { member, language: team.row.language });
    return withoutRights(member);
  });

/** Adds an active member without an invitation, for an operator. */
export const addActiveMember = (caller: Team, wanted: NewMembership & { userId: string }): Promise<Member> =>
  inLockedTeam(caller, async (tx, team) => withoutRights(await insertMember(tx, team, wanted)));

/** Adds an active member by email, and creates the person if there is none. */
export const addActivePerson = async (
  caller: Team,
  { password, name, ...membership }: NewMembership & { password?: string | undefined },
): Promise<Member & { userId: string }> => {
  // The password is hashed before the team is locked, because hashing is slow.
  const passwordHash =
    password === undefined ? undefined : await hashPassword(password, caller.platform.signIn.passwordCost);
  return inLockedTeam(caller, async (tx, team) => {
    const { language } = team.row;
    const person = await ensurePerson(tx, team.platform, {
      email: membership.email,
      name: name ?? undefined,
      passwordHash,
      language,
    });
    const userId = await knowPerson(tx, team, person.id);
    return { ...(await addActiveMember({ ...team, tx }, { ...membership, userId })), userId };
  });
};

/** The subject of the window that counts a team's invitations. */
export const invitationsInHour = ({ id }: Pick<Team, 'id'>): string => `invitations of ${id}`;

/** Counts an invitation against the limit of the team's hour, which starts with its first invitation. */
const countInvitation = async (tx: Tx, team: LockedTeam): Promise<void> => {
  const max = limits.invitationsPerHour;
  await countInHour(tx, team, {
    subject: invitationsInHour(team),
    max,
    detail: memberMessages.invitationsPerHour(max),
  });
};

// The token of an invitation's link contains the ids of the team and the membership, so that the invitation is found by
// its key. Only the token's hash is stored.

const makeToken = ({ id: tenantId }: Team, memberId: string): string => `${tenantId}_${memberId}_${randomText(43)}`;

const hashOfToken = (token: string) => Uint8Array.from(sha256(token));

/** The ids and the hash by which the invitation of a token is looked up; undefined if the text is no token. */
export const readToken = (token: string) => {
  const [tenantId = '', memberId = ''] = token.split('_');
  return isId(tenantId) && isId(memberId) ? { tenantId, memberId, tokenHash: hashOfToken(token) } : undefined;
};

interface InvitedMember {
  member: { id: string; email: string };
  language: Language;
}

/**
 * Creates an invitation and returns the only copy of its token. It replaces the member's former invitation, whose link
 * then no longer works.
 */
const createInvitation = async (tx: Tx, team: Team, { member, language }: InvitedMember) => {
  const { clock } = team.platform;
  const token = makeToken(team, member.id);
  const now = clock.now();
  const expiresAt = later(now, daysToMs(limits.invitationDays));
  const made = { tokenHash: hashOfToken(token), language, expiresAt, createdAt: now };
  await invitations.put(tx, team, member.id, made);
  return { token, expiresAt };
};

/**
 * Creates the invitation and mails its link. Refuses if too many mails were sent today. Call this as the transaction's
 * last step.
 */
const sendInvitation = async (
  tx: Tx,
  team: Team,
  { teamName, ...invited }: InvitedMember & { teamName: string },
): Promise<void> => {
  const { token, expiresAt } = await createInvitation(tx, team, invited);
  const { member, language } = invited;
  const reader = { email: member.email, language };
  const link = `${team.platform.publicUrl}/invitations/${token}`;
  const inviter = await inviterOf(tx, team);
  const [refusal] = await queueMails(tx, team, [invitationMail(reader, link, { inviter, teamName, expiresAt })]);
  if (!refusal) return;
  fail('rate_limited', {
    retry_after: refusal.retryAfter,
    detail: refusal.limit === 'team' ? memberMessages.mailsOfTeam : memberMessages.invitationsToAddress,
  });
};

/** The name of the person who invites; null if a key, the operator or a person without a name does. */
const inviterOf = async (tx: Tx, { id, actor }: Team): Promise<string | null> => {
  if (actor.kind !== 'person') return null;
  const [person] = await reports.peopleOf(tx, id, [actor.userId]);
  return person?.name ?? null;
};

const invitationMail = mailTemplate<{ inviter: string | null; teamName: string; expiresAt: Date }>('invitation', {
  de: ({ inviter, teamName, expiresAt }, { day }) => ({
    lead: `${inviter === null ? 'Sie wurden' : `${quotable(inviter)} hat Sie`} eingeladen, im Team „${quotable(teamName)}“ Verkaufsgespräche zu üben.`,
    action: 'Einladung annehmen',
    ending: `Der Link ist bis ${day(expiresAt)} gültig. Wenn Sie die Einladung nicht erwartet haben, können Sie diese E-Mail ignorieren.`,
  }),
  en: ({ inviter, teamName, expiresAt }, { day }) => ({
    lead: `${inviter === null ? 'You have been invited' : `${quotable(inviter)} has invited you`} to practise sales conversations in the team “${quotable(teamName)}”.`,
    action: 'Accept invitation',
    ending: `The link is valid until ${day(expiresAt)}. If you did not expect this invitation, you can ignore this email.`,
  }),
});

/**
 * Which of these addresses belong to an invited or active member, who can't be invited once more, or to a waiting
 * invitation.
 */
export const knownAddresses = async (team: Team, emails: readonly string[]): Promise<KnownAddress[]> => {
  const { prisma } = team.platform.database;
  const addresses = emails.flatMap((email) => canonicalEmail(email) ?? []);
  const rows = await members.withEmails(prisma, team, addresses);
  const waiting = await waitingInvitations.withEmails(prisma, team, addresses);
  return [
    ...rows.flatMap(({ email, status }) => (status === 'ended' ? [] : [{ email, status }])),
    ...waiting.map(({ email }) => ({ email, status: 'waiting' as const })),
  ];
};

/**
 * Sends an invitation again, with a new link. It counts like a first invitation, and the former link no longer works.
 */
export const resendInvitation = (caller: Team, id: string): Promise<void> =>
  inLockedTeam(caller, async (tx, team) => {
    const member = await findMember(tx, team, id);
    if (member.status !== 'invited') fail('conflict', { detail: memberMessages.alreadyAccepted });
    if (member.role === 'admin') await requireRightToGrantAdmin(tx, team);
    await countInvitation(tx, team);
    const language = (await invitations.languageOf(tx, team, id)) ?? team.row.language;
    record(tx, team, { action: 'member.invited_again', target: { type: 'member', id } });
    await sendInvitation(tx, team, { member, teamName: team.row.name, language });
  });
