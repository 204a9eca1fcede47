import { domainToUnicode } from 'node:url';
import type { Tx } from '../../db/database.ts';
import type { Erasure } from '../../db/generated/client.ts';
import { erasedMark, type TablePosition, type Replacements } from '../../platform/team-table.ts';
import { assignments as assignmentRows } from '../assignments/store.ts';
import { cases } from '../cases/store.ts';
import { removeConnectionsOf } from '../assistants/store.ts';
import { policyBlocks } from '../catalog/store.ts';
import { syncedRows } from '../crm/deal-store.ts';
import { noteDeleted } from '../deletions/service.ts';
import { teamTables } from '../export/tables.ts';
import { deleteAnswersNaming } from '../idempotency/store.ts';
import { giveKeysAway } from '../keys/store.ts';
import { removeMailsTo } from '../mail/store.ts';
import { invitations, waitingInvitations } from '../members/store.ts';
import { erasedMembers, isPlaceholder } from '../membership/store.ts';
import { erasedPeople } from '../people/store.ts';
import { erasedTrainings } from '../trainings/store.ts';

// The steps of an erasure, in order. Each step works in batches, one transaction each. A batch is committed together
// with the position where it stopped, so that a killed job continues there.
//
//   the person's own data is deleted
//   ──▶ rows that must refer to a person refer to the placeholder
//   ──▶ each table of the team is read once, and texts that name the person are replaced
//   ──▶ deals lose their owner; memberships, the team's user and, if no team is left, the account are deleted

/** The position where the same step continues; undefined if it is done. */
type NextPosition = TablePosition | undefined;

/** Where a batch starts, and the time of its changes. */
interface BatchStart {
  position: TablePosition;
  now: Date;
}

interface ErasureStep {
  name: string;
  run(this: void, tx: Tx, erasure: Erasure, start: BatchStart): Promise<NextPosition>;
}

/**
 * The most trainings or assignments that a batch deletes. They are few, because for each deleted row PostgreSQL
 * searches for rows that refer to it.
 */
const deletedAtOnce = 200;
const dealsAtOnce = 1_000;

/** The position of a step that deletes rows: each batch starts from the beginning. */
const fromStart: TablePosition = [];

/** The texts that an erasure replaces. */
const replacementsOf = (erasure: Erasure): Replacements =>
  replacementsFor({
    emails: erasure.emails,
    names: erasure.names,
    ids: [
      ...(erasure.userId === null ? [] : [[erasure.userId, erasure.placeholderUserId] as const]),
      ...erasure.memberIds.map((id) => [id, erasure.placeholderMemberId] as const),
      ...(erasure.personId === null ? [] : [[erasure.personId, erasure.placeholderUserId] as const]),
    ],
  });

/** A step for data of users. A person who never accepted an invitation is no user and has no such data. */
const ofUser = (
  name: string,
  run: (
    tx: Tx,
    user: { tenantId: string; userId: string },
    erasure: Erasure,
    start: BatchStart,
  ) => Promise<NextPosition>,
): ErasureStep => ({
  name,
  run: async (tx, erasure, start) => {
    const { tenantId, userId } = erasure;
    return userId === null ? undefined : run(tx, { tenantId, userId }, erasure, start);
  },
});

const assignments: ErasureStep = {
  name: 'assignments',
  async run(tx, { tenantId, memberIds }, { now }) {
    const ids = await assignmentRows.someOfMembers(tx, tenantId, memberIds, deletedAtOnce);
    if (ids.length === 0) return undefined;
    // Any number of trainings may belong to an assignment, so some batches only detach trainings.
    const detached = await erasedTrainings.detachFromAssignments(tx, tenantId, ids, now);
    if (detached > 0) return fromStart;
    await assignmentRows.remove(tx, tenantId, ids);
    await noteDeleted(tx, { id: tenantId }, 'assignments', ids, now);
    return fromStart;
  },
};

const trainings = ofUser('trainings', async (tx, user, _erasure, { now }) => {
  const ids = await erasedTrainings.someOfUser(tx, user, deletedAtOnce);
  if (ids.length === 0) return undefined;
  await erasedTrainings.remove(tx, user.tenantId, ids);
  await noteDeleted(tx, { id: user.tenantId }, 'trainings', ids, now);
  return fromStart;
});

const privateCases = ofUser('private cases', async (tx, user) => {
  const deleted = await cases.deletePrivate(tx, user);
  return deleted > 0 ? fromStart : undefined;
});

const teamCases = ofUser('cases', async (tx, user, { placeholderUserId }, { now }) => {
  const changed = await cases.giveAway(tx, { ...user, to: placeholderUserId }, now);
  return changed > 0 ? fromStart : undefined;
});

/** Whether the account was disabled: then no team keeps it, and it is deleted, too. */
const isDisabled = async (tx: Tx, personId: string): Promise<boolean> => {
  const email = await erasedPeople.emailOf(tx, personId);
  return email !== undefined && isPlaceholder(email);
};

const mailsAndKeys: ErasureStep = {
  name: 'mails and keys',
  async run(tx, { tenantId, userId, memberIds, emails, personId, placeholderUserId, placeholderMemberId }) {
    await removeMailsTo(tx, tenantId, emails);
    // Mails with reset links belong to no team. They are deleted only with the account.
    if (personId !== null && (await isDisabled(tx, personId))) await removeMailsTo(tx, null, emails);
    await policyBlocks.removeOfMembers(tx, tenantId, memberIds);
    await removeConnectionsOf(tx, tenantId, memberIds);
    await giveKeysAway(tx, tenantId, memberIds, placeholderMemberId);
    await waitingInvitations.removeEmails(tx, tenantId, emails);
    if (userId !== null) await waitingInvitations.giveAway(tx, { tenantId, userId, to: placeholderUserId });
    return undefined;
  },
};

const answers: ErasureStep = {
  name: 'answers',
  async run(tx, erasure, { position: [after = ''] }) {
    const { any } = replacementsOf(erasure);
    const position = await deleteAnswersNaming(tx, erasure.tenantId, { any, after });
    return position === undefined ? undefined : [position];
  },
};

/**
 * Tables whose texts the API shows. Their changed rows get a new time, so that readers of changes get them again. The
 * text of an evaluation belongs to its training.
 */
const shownInApi: Readonly<
  Record<string, (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) => Promise<unknown>>
> = {
  training: erasedTrainings.touch,
  evaluation: erasedTrainings.touch,
  assignment: assignmentRows.touch,
  case: cases.touch,
  crm_deal: syncedRows.touchDeals,
  crm_objection: syncedRows.touchObjections,
};

const walks: ErasureStep[] = teamTables
  .filter(({ searched }) => searched.length > 0)
  .map((table) => ({
    name: `texts of ${table.table}`,
    async run(tx, { tenantId, ...erasure }, { position, now }) {
      const { next, changed } = await table.replace(tx, tenantId, replacementsOf({ tenantId, ...erasure }), position);
      if (changed.length > 0) await shownInApi[table.table]?.(tx, tenantId, changed, now);
      return next;
    },
  }));

const person: ErasureStep = {
  name: 'person',
  async run(tx, { tenantId, userId, memberIds, personId }, { now }) {
    // While a deal refers to a user, the user can't be deleted. So the deals lose their owner first.
    const left = { limit: dealsAtOnce, updatedAt: now };
    const changed = userId === null ? 0 : await syncedRows.leaveSome(tx, { tenantId, userId }, left);
    if (changed > 0) return fromStart;
    // The person is locked before the user is deleted. If several teams erase the person at the same time, the last one
    // finds no other user, so it can delete the account.
    if (personId !== null) erasedPeople.lock(tx, personId);
    await invitations.remove(tx, { id: tenantId }, memberIds);
    await erasedMembers.remove(tx, tenantId, memberIds);
    if (userId !== null) await erasedPeople.removeUser(tx, tenantId, userId);
    if (personId !== null && (await isDisabled(tx, personId))) await erasedPeople.removeUnknown(tx, personId);
    return undefined;
  },
};

export const steps: readonly [ErasureStep, ...ErasureStep[]] = [
  assignments,
  trainings,
  privateCases,
  teamCases,
  mailsAndKeys,
  answers,
  ...walks,
  person,
];

// Texts may name a person by addresses, names and ids. Each is searched with a regular expression of PostgreSQL, which
// ignores case.
//
// With a lookbehind of a variable length, or of more than one character, PostgreSQL reads the whole text before each
// match, which takes seconds for a text with thousands of matches. So the text before a match is a group of its own,
// which the replacement puts back.

/**
 * The parts of a regular expression. `start` has the alternatives of the text before the match. The first alternative
 * matches a position and no characters. The others do not end with a backslash, so `notInEscape` is only put before the
 * first one.
 */
interface Pattern {
  start: string;
  match: string;
}

/** Escapes the special characters of regular expressions. */
const literal = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');

/**
 * JSON and URL escapes that end with a letter or a digit but mean a separator: a line break, a space, a colon. Escapes
 * of `+`, `-`, `.`, `_`, letters and digits are left out, because they are part of the word.
 */
const escape = String.raw`\\[bfnrt]|\\u00[01][0-9a-f]|%(?:[01][0-9a-f]|2[0-9acf]|3[a-f]|40|5[b-e]|60|7[b-f])`;

/** A character that URLs may encode: both forms. */
const plainOrEncoded = (character: string): string =>
  `(?:${literal(character)}|${[...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')})`;

/** The forms of an address: the stored one, and one with the domain in Unicode. */
const formsOf = (address: string): string[] => {
  const at = address.lastIndexOf('@');
  const readable = `${address.slice(0, at)}@${domainToUnicode(address.slice(at + 1)) || address.slice(at + 1)}`;
  return [...new Set([address, readable])];
};

/** All forms of an address. A URL may encode any of its characters except letters and digits. */
const addressForms = (address: string): string =>
  formsOf(address)
    .map((form) => form.replaceAll(/[^a-z0-9]/giu, plainOrEncoded))
    .join('|');

/** Whether a URL contains an address. */
export const isNamedIn = (url: string, address: string): boolean => new RegExp(addressForms(address), 'i').test(url);

/** Finds an address, but not as a part of a longer one. */
const addressPattern = (address: string): Pattern => ({
  start: `(?<![[:alnum:]_+.-])|(?:^|[^[:alnum:]])\\.|${escape}`,
  match: `(?:${addressForms(address)})(?![[:alnum:]-]|%2d|(?:\\.|%2e)[[:alnum:]])`,
});

/** A text within a JSON string, where quotes and backslashes are escaped. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Spaces and line breaks between the words of a name, plain or escaped for JSON or a URL. */
const gap = String.raw`(?:[\s\u00a0]|\\+[nrt]|%20|%0[ad]|\+)`;

/**
 * A name of several words matches wherever they are whole words. A name of one word matches only a whole text or a
 * quoted text, as in JSON, because `Will` and `Mark` are also ordinary words.
 */
const namePattern = (words: readonly string[]): Pattern => {
  const name = words.map(literal).join(`${gap}+`);
  return words.length > 1
    ? { start: `(?<![[:alnum:]_])|${escape}`, match: `${name}(?![[:alnum:]_])` }
    : { start: '(?:^|(?<="))', match: `${gap}*${name}${gap}*(?=$|\\\\*")` };
};

/** The words of a name in all forms: plain, within JSON, and within a URL. */
const formsOfName = (name: string): { plain: string[]; json: string[]; url: string[] } => {
  const plain = name.trim().split(/\s+/u);
  return { plain, json: plain.map(inJson), url: plain.map(encodeURIComponent) };
};

/** In JSON a match must not begin with the letter of an escape such as `\n`: replacing it would break the JSON. */
const notInEscape = String.raw`(?<!\\)(?:\\\\)*`;

interface PersonNames {
  emails: readonly string[];
  names: readonly string[];
  /** Ids, each with the id that replaces it. */
  ids: readonly (readonly [id: string, placeholder: string])[];
}

/**
 * A pattern for LIKE: the runs of ASCII letters and digits in some texts, in their order. Other characters are left
 * out, because regular expressions and `lower` may disagree on their case.
 */
const likeOf = (...texts: string[]): string =>
  `%${texts.flatMap((text) => text.match(/[a-z0-9]+/gi) ?? []).join('%')}%`;

/**
 * A regular expression, the text that replaces its matches, and patterns for LIKE. Each match fits one of these
 * patterns.
 */
type WantedReplacement = readonly [pattern: Pattern, replacement: string, likely: readonly string[]];

const wantedName = (words: readonly string[]): WantedReplacement => [
  namePattern(words),
  erasedMark,
  [likeOf(...words)],
];

/** The patterns that find a person's name, addresses and ids, each with the text that replaces it. */
export const replacementsFor = ({ emails, names, ids }: PersonNames): Replacements => {
  const forms = names.map(formsOfName);
  const inAnyText: WantedReplacement[] = [
    ...emails.map((email): WantedReplacement => [
      addressPattern(email),
      erasedMark,
      formsOf(email).map((form) => likeOf(form)),
    ]),
    ...forms.flatMap(({ json, url }) => [json, url]).map(wantedName),
    ...ids.map(([id, placeholder]): WantedReplacement => [{ start: '', match: id }, placeholder, [likeOf(id)]]),
  ];
  // In JSON, a plain name is not searched: a quote at its beginning or end would match the quotes around a JSON text.
  const inTexts = [...inAnyText, ...forms.map(({ plain }) => wantedName(plain))];
  return {
    texts: listsOf(inTexts),
    json: listsOf(inAnyText, notInEscape),
    // This is matched against several texts at once, one in each line, so the ends of a line are the ends of a text.
    any: `(?n)${listsOf(inTexts).patterns.join('|')}`,
    likely: [...new Set(inTexts.flatMap(([, , likely]) => likely))],
  };
};

const listsOf = (wanted: readonly WantedReplacement[], before = '') => {
  const distinct = [...new Map(wanted.map(([{ start, match }, by]) => [`(${before}${start})${match}`, `\\1${by}`]))];
  return { patterns: distinct.map(([pattern]) => pattern), replacements: distinct.map(([, by]) => by) };
};
