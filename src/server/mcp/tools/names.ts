import { z } from 'zod';
import type { Noun } from '../../../core/counted.ts';
import type { Member } from '../../../modules/membership/schema.ts';
import type { Training } from '../../../modules/trainings/schema.ts';
import type { ToolCall } from '../caller.ts';

// Names for the ids in the answers of operations, if the caller may read them. With ids alone an assistant can't talk
// about people.

export const Person = z.object({
  member_id: z.string().meta({ description: 'The id that the other tools take.' }),
  name: z.string().nullable().meta({
    description: 'Null while the team hides details about people, and until the invitation is accepted.',
  }),
  email: z.string().nullable().meta({ description: 'Null while the team hides details about people.' }),
});
export type Person = z.output<typeof Person>;

export const personOf = ({ id, name, email }: Pick<Member, 'id' | 'name' | 'email'>): Person => ({
  member_id: id,
  name: name ?? null,
  email: email ?? null,
});

/** The nouns for the numbers in sentences. */
export const nouns = {
  member: { de: ['Mitglied', 'Mitglieder'], en: ['member', 'members'] },
  activeMember: { de: ['aktives Mitglied', 'aktive Mitglieder'], en: ['active member', 'active members'] },
  training: { de: ['Training', 'Trainings'], en: ['training', 'trainings'] },
  assignment: { de: ['Aufgabe', 'Aufgaben'], en: ['assignment', 'assignments'] },
  case: { de: ['Fall', 'Fälle'], en: ['case', 'cases'] },
  situation: { de: ['Situation', 'Situationen'], en: ['situation', 'situations'] },
  personality: { de: ['Persönlichkeit', 'Persönlichkeiten'], en: ['personality', 'personalities'] },
  industry: { de: ['Branche', 'Branchen'], en: ['industry', 'industries'] },
} as const satisfies Record<string, Noun>;

/** How a sentence names somebody. */
export const spokenOf = ({ name, email, member_id }: Person): string => name ?? email ?? member_id;

/**
 * Pages are as large as the API allows, and only the first few are read: more would cost too much for one question of a
 * coach.
 */
export const pageSize = 200;
const maxPages = 3;

interface ListPage<Row> {
  data: Row[];
  next_cursor: string | null;
}

interface ReadRows<Row> {
  readonly rows: Row[];
  /** Whether these are all rows. */
  readonly complete: boolean;
}

/** The rows of the first pages of a list. */
export const rowsOf = async <Row>(
  page: (cursor: { cursor?: string }) => Promise<ListPage<Row>>,
  max = maxPages,
): Promise<ReadRows<Row>> => {
  const rows: Row[] = [];
  let next: string | null = null;
  for (let count = 0; count < max; count += 1) {
    const { data, next_cursor } = await page(next === null ? {} : { cursor: next });
    rows.push(...data);
    next = next_cursor;
    if (next === null) break;
  }
  return { rows, complete: next === null };
};

export const membersOf = (call: ToolCall) =>
  rowsOf((cursor) => call.run((api) => api.members.list({ limit: pageSize, ...cursor })));

/**
 * Finds members of the team by their user ids. Invited people have no user id yet, so they are found by their address.
 * Finds nobody if the caller may not read members.
 */
export const peopleOf = async (call: ToolCall) => {
  const { rows } = call.may('users:read') ? await membersOf(call) : { rows: [] };
  const people = new Map(rows.map((row) => [row.user_id ?? row.email, personOf(row)]));
  return (key: string | null): Person | null => (key === null ? null : (people.get(key) ?? null));
};

/** A member and their user id, which is null until the invitation is accepted. */
export const memberWithUserId = async (call: ToolCall, memberId: string) => {
  const member = await call.run((api) => api.members.get({ member_id: memberId }));
  return { userId: member.user_id, person: personOf(member) };
};

export const practised = {
  situation: z.string().nullable().meta({ description: 'The situation that was practised.' }),
  personality: z.string().nullable().meta({ description: 'The character of the person on the other side.' }),
  industry: z.string().nullable(),
};

type PractisedItems = Pick<Training, 'situation_id' | 'personality_id' | 'industry_id'>;

/**
 * The names of catalog items. A name is unknown if the caller may not read the catalog, or if the team no longer
 * releases the item.
 */
export const catalogNamesOf = async (call: ToolCall) => {
  const names = new Map<string, string | null>();
  if (call.may('catalog:read')) {
    const { situation, personality, industry } = await call.run((api) => api.catalog.get({}));
    for (const { id, name } of [...situation, ...personality, ...industry]) names.set(id, name);
  }
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return ({ situation_id, personality_id, industry_id }: PractisedItems) => ({
    situation: nameOf(situation_id),
    personality: nameOf(personality_id),
    industry: nameOf(industry_id),
  });
};

/** A shortened text, for display only. */
export const shortened = (text: string | null, max = 500): string | null => {
  if (text === null) return null;
  const characters = [...text];
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : text;
};

export const daysAgo = (call: ToolCall, days: number): string =>
  new Date(call.team.platform.clock.now().getTime() - days * 86_400_000).toISOString();

export const Complete = z.boolean().meta({ description: 'False if there is more than one answer can contain.' });
