import { z } from 'zod';
import { counted } from '../../../core/counted.ts';
import { asJson, stringify } from '../../../core/json.ts';
import { fail } from '../../../core/problem.ts';
import { Case, NewCase } from '../../../modules/cases/schema.ts';
import { tool } from '../tool.ts';
import { Complete, memberWithUserId, nouns, peopleOf, Person, shortened } from './names.ts';
import { requestKey } from './assignments.ts';
import { memberId } from './people.ts';

const { title, created_at } = Case.shape;

const ListedCase = z.object({
  case_id: z.string(),
  title,
  member: Person.nullable().meta({ description: 'The member to whom the case belongs.' }),
  details: z.string().nullable().meta({ description: 'The beginning of its free-form fields, as JSON.' }),
  created_at,
});

export const listCases = tool('list_cases', {
  title: { de: 'Fälle ansehen', en: 'List cases' },
  description:
    'The customer situations that the team can train with, newest first: of the team, or those of one member. Private cases are never listed.',
  uses: ['cases.list'],
  input: z.strictObject({ member_id: memberId.optional(), limit: z.int().min(1).max(50).default(20) }),
  output: z.object({ cases: z.array(ListedCase), complete: Complete }),
  async run(call, { member_id: wanted, limit }) {
    const one = wanted === undefined ? undefined : await memberWithUserId(call, wanted);
    const userId = one?.userId;
    if (userId === null) return { cases: [], complete: true };
    const { data, next_cursor: next } = await call.run((api) =>
      api.cases.list({ limit, ...(userId !== undefined && { user_id: userId }) }),
    );
    if (data.length === 0) return { cases: [], complete: next === null };
    const memberOf = one ? () => one.person : await peopleOf(call);
    const cases = data.map((row) => ({
      case_id: row.id,
      title: row.title,
      member: memberOf(row.user_id),
      details: row.fields === null ? null : shortened(stringify(row.fields)),
      created_at: row.created_at,
    }));
    return { cases, complete: next === null };
  },
  summary: ({ cases, complete }) => {
    const found = counted(cases.length, nouns.case, { orMore: !complete });
    return { de: `${found.de}.`, en: `${found.en}.` };
  },
});

export const createCase = tool('create_case', {
  title: { de: 'Fall anlegen', en: 'Create a case' },
  description:
    'Makes a case from a real customer situation that the whole team can train with, in the name of an active member. Confirm title and content with the user before you call it, and leave out personal data of customers.',
  uses: ['members.get', 'cases.create'],
  changes: 'adds',
  input: z.strictObject({
    member_id: memberId,
    title: NewCase.shape.title.meta({ description: 'A short name of the case.' }),
    fields: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The subject of the case, for instance industry, product, goal, objections.' }),
    request_key: requestKey,
  }),
  output: z.object({ case_id: z.string(), title, created_at, fields: z.unknown() }),
  async run(call, { request_key: key, member_id: of, ...content }) {
    const { userId } = await memberWithUserId(call, of);
    // A person who has not accepted the invitation is not found, as over REST.
    const wanted = { user_id: userId ?? fail('not_found'), ...content };
    const made = await call.run((api) => api.cases.create(wanted), {
      key,
      call: `create_case ${JSON.stringify(wanted)}`,
    });
    return { case_id: made.id, title: made.title, created_at: made.created_at, fields: asJson(made.fields) };
  },
  summary: ({ title: named, case_id: id }) => ({
    de: `Fall „${named ?? id}“ angelegt.`,
    en: `Created the case “${named ?? id}”.`,
  }),
});
