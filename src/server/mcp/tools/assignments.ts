import { z } from 'zod';
import { utcDay } from '../../../core/clock.ts';
import { counted, numberTexts } from '../../../core/counted.ts';
import { limits } from '../../../core/limits.ts';
import { Assignment, NewAssignment } from '../../../modules/assignments/schema.ts';
import { Catalog } from '../../../modules/catalog/schema.ts';
import { tool } from '../tool.ts';
import { catalogNamesOf, Complete, memberWithUserId, nouns, peopleOf, Person, practised, shortened } from './names.ts';
import { memberId } from './people.ts';

export const practiceCatalog = tool('practice_catalog', {
  title: { de: 'Trainingskatalog', en: 'Training catalog' },
  description:
    'What the team can practise with: situations, personalities of the other side, industries, roles and methodologies, with the ids that assign_practice takes. Not every combination is allowed; assign_practice says so.',
  uses: ['catalog.get'],
  input: z.strictObject({}),
  output: Catalog,
  run: (call) => call.run((api) => api.catalog.get({})),
  summary: (catalog) => {
    const situations = counted(catalog.situation.length, nouns.situation);
    const personalities = counted(catalog.personality.length, nouns.personality);
    const industries = counted(catalog.industry.length, nouns.industry);
    return {
      de: `${situations.de}, ${personalities.de}, ${industries.de}.`,
      en: `${situations.en}, ${personalities.en}, ${industries.en}.`,
    };
  },
});

/**
 * If the same key is sent again, nothing more happens, and the call gets the first answer. The tools for cases use
 * this, too.
 */
export const requestKey = z.string().min(1).max(limits.idempotencyKeyCharacters).optional().meta({
  description:
    'A text of your choice that is new for each wish. A repeat with the same text and the same arguments does nothing more and gets the first answer, so it is safe to try again after an error.',
});

const fromCatalog = z.string().meta({ description: 'An id from practice_catalog.' });

/** The fields of an assignment besides its member. */
const task = {
  title: NewAssignment.shape.title.meta({ description: 'A short name of the task.' }),
  situation_id: fromCatalog,
  personality_id: fromCatalog,
  industry_id: fromCatalog,
  note: NewAssignment.shape.note,
  due_date: NewAssignment.shape.due_date.meta({ description: 'The last day for it, like 2026-12-24.' }),
  request_key: requestKey,
};

export const assignPractice = tool('assign_practice', {
  title: { de: 'Aufgabe zuweisen', en: 'Create assignment' },
  description:
    'Gives one member something to practise. Take the member from find_member and the three ids from practice_catalog, and confirm with the user before you call it. Tell the user if the combination is refused: the catalog or the policy of the team or member does not allow it.',
  uses: ['assignments.create'],
  changes: 'adds',
  input: z.strictObject({
    member_id: memberId,
    ...task,
  }),
  output: z.object({
    assignment_id: z.string(),
    status: Assignment.shape.status,
    title: z.string().nullable(),
    due_date: z.string().nullable(),
    member_email: z.string().nullable(),
  }),
  async run(call, { request_key: key, ...wanted }) {
    const { id, status, title, due_date, member_email } = await call.run((api) => api.assignments.create(wanted), {
      key,
      call: `assign_practice ${JSON.stringify(wanted)}`,
    });
    return { assignment_id: id, status, title, due_date, member_email };
  },
  summary: ({ title, member_email: email }) => ({
    de: `Aufgabe „${title ?? ''}“ vergeben${email === null ? '' : ` an ${email}`}.`,
    en: `Assigned “${title ?? ''}”${email === null ? '' : ` to ${email}`}.`,
  }),
});

export const assignPracticeToMany = tool('assign_practice_to_many', {
  title: { de: 'Aufgabe mehreren zuweisen', en: 'Create assignment for several members' },
  description: `Gives up to ${limits.itemsInRequest} members the same thing to practise, each an assignment of their own. Take the members from find_member and the three ids from practice_catalog, and confirm with the user before you call it. Who can’t get it, because of a policy for instance, does not keep the others from getting it: tell the user who did not, and why.`,
  uses: ['assignments.createMany'],
  changes: 'adds',
  input: z.strictObject({ member_ids: z.array(memberId).min(1).max(limits.itemsInRequest), ...task }),
  output: z.object({
    assigned: z.array(z.object({ member_id: z.string(), assignment_id: z.string() })),
    refused: z.array(
      z.object({ member_id: z.string(), code: z.string(), reason: z.string().meta({ description: 'In a sentence.' }) }),
    ),
  }),
  async run(call, { member_ids: wantedIds, request_key: key, ...wanted }) {
    const ids = [...new Set(wantedIds)];
    const items = ids.map((id) => ({ member_id: id, ...wanted }));
    const { results } = await call.run((api) => api.assignments.createMany({ items }), {
      key,
      call: `assign_practice_to_many ${JSON.stringify(items)}`,
    });
    const byMember = results.map((result, at) => ({ member_id: ids[at] ?? '', ...result }));
    return {
      assigned: byMember.flatMap(({ member_id, assignment }) =>
        assignment ? [{ member_id, assignment_id: assignment.id }] : [],
      ),
      refused: byMember.flatMap(({ member_id, problem }) =>
        problem ? [{ member_id, code: problem.code, reason: problem.detail ?? problem.title }] : [],
      ),
    };
  },
  summary: ({ assigned, refused }) => {
    const given = counted(assigned.length, nouns.assignment);
    const others = numberTexts(refused.length);
    return { de: `${given.de} vergeben, ${others.de} abgelehnt.`, en: `${given.en} created, ${others.en} refused.` };
  },
});

const shows = ['open', 'overdue', 'done', 'all'] as const;

/** The filters of the list, which is read once for each status. */
const filtersOf = (show: (typeof shows)[number], today: string) => {
  if (show === 'all') return [{}];
  if (show === 'done') return [{ status: 'done' } as const];
  const due = show === 'overdue' ? { due_before: today } : {};
  return (['open', 'in_progress'] as const).map((status) => ({ status, ...due }));
};

const ListedAssignment = z.object({
  assignment_id: z.string(),
  member: Person.nullable().meta({ description: 'Null: no longer a member, or the caller may not see members.' }),
  title: z.string().nullable(),
  status: Assignment.shape.status,
  overdue: z.boolean().meta({ description: 'Not done, though its day is over (UTC).' }),
  due_date: z.string().nullable(),
  note: z.string().nullable().meta({ description: 'The beginning of the note.' }),
  created_at: Assignment.shape.created_at,
  ...practised,
});

export const listAssignments = tool('list_assignments', {
  title: { de: 'Aufgaben ansehen', en: 'List assignments' },
  description:
    'What members were given to practise, newest first: open (also in progress), overdue, done or all, of the team or of one member.',
  uses: ['assignments.list'],
  input: z.strictObject({
    show: z.enum(shows).default('open'),
    member_id: memberId.optional(),
    limit: z.int().min(1).max(50).default(25),
  }),
  output: z.object({ assignments: z.array(ListedAssignment), complete: Complete }),
  async run(call, { show, member_id: wanted, limit }) {
    const one = wanted === undefined ? undefined : await memberWithUserId(call, wanted);
    const today = utcDay(call.team.platform.clock.now());
    const isOverdue = ({ status, due_date: day }: Assignment) =>
      (status === 'open' || status === 'in_progress') && day !== null && day < today;
    const rows: Assignment[] = [];
    let complete = true;
    for (const filters of filtersOf(show, today)) {
      const page = await call.run((api) =>
        api.assignments.list({ ...filters, limit, ...(wanted !== undefined && { member_id: wanted }) }),
      );
      rows.push(...page.data);
      complete &&= page.next_cursor === null;
    }
    complete &&= rows.length <= limit;

    // The list of each status begins with its newest assignment. Sorting by this key merges the lists in the same
    // order.
    const place = ({ created_at, id }: Assignment) => `${created_at ?? ''} ${id}`;
    const listed = rows.toSorted((one, other) => (place(one) < place(other) ? 1 : -1)).slice(0, limit);
    if (listed.length === 0) return { assignments: [], complete };
    const memberOf = one ? () => one.person : await peopleOf(call);
    const namesOf = await catalogNamesOf(call);
    const assignments = listed.map((row) => ({
      assignment_id: row.id,
      member: memberOf(row.member_user_id ?? row.member_email),
      title: row.title,
      status: row.status,
      overdue: isOverdue(row),
      due_date: row.due_date,
      note: shortened(row.note),
      created_at: row.created_at,
      ...namesOf(row),
    }));
    return { assignments, complete };
  },
  summary: ({ assignments, complete }) => {
    const all = counted(assignments.length, nouns.assignment, { orMore: !complete });
    const overdue = numberTexts(assignments.filter((assignment) => assignment.overdue).length);
    return { de: `${all.de}, ${overdue.de} überfällig.`, en: `${all.en}, ${overdue.en} overdue.` };
  },
});
