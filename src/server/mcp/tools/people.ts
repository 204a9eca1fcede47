import { z } from 'zod';
import { counted } from '../../../core/counted.ts';
import { fail } from '../../../core/problem.ts';
import { Member } from '../../../modules/membership/schema.ts';
import { Evaluation, Training } from '../../../modules/trainings/schema.ts';
import { tool } from '../tool.ts';
import {
  catalogNamesOf,
  Complete,
  daysAgo,
  membersOf,
  memberWithUserId,
  nouns,
  peopleOf,
  Person,
  personOf,
  practised,
  spokenOf,
} from './names.ts';

export const memberId = z.string().meta({ description: 'The member_id of a member, from find_member.' });

const { role, status, joined_at } = Member.shape;
const FoundMember = Person.extend({
  external_id: z.string().nullable().meta({
    description: 'The id in the company’s own system. Null while the team hides details about people.',
  }),
  role,
  status,
  joined_at,
});

export const findMember = tool('find_member', {
  title: { de: 'Mitglied finden', en: 'Find a member' },
  description:
    'Finds members of the team by a part of their name, e-mail address or id in the company’s own system, or lists them. Call it first when a person is named: the other tools take the member_id from here. While the team hides details about people, there are no names, addresses and such ids, and nobody can be searched for.',
  uses: ['members.list'],
  input: z.strictObject({
    search: z
      .string()
      .trim()
      .max(255)
      .optional()
      .meta({ description: 'A part of the name, the e-mail address or the external_id. Absent: all members.' }),
    limit: z.int().min(1).max(100).default(25),
  }),
  output: z.object({ members: z.array(FoundMember), complete: Complete }),
  async run(call, { search = '', limit }) {
    if (search !== '' && !call.team.privacy.memberDetail) fail('privacy_restricted');
    const wanted = search.toLowerCase();
    const { rows, complete } = await membersOf(call);
    const members = rows
      .filter(
        ({ name, email, external_id: externalId }) =>
          wanted === '' || [name, email, externalId].some((text) => text?.toLowerCase().includes(wanted)),
      )
      .map((row) => ({
        ...personOf(row),
        external_id: row.external_id ?? null,
        role: row.role,
        status: row.status,
        joined_at: row.joined_at,
      }));
    return { members: members.slice(0, limit), complete: complete && members.length <= limit };
  },
  summary: ({ members, complete }) => {
    const found = counted(members.length, nouns.member, { orMore: !complete });
    return { de: `${found.de} gefunden.`, en: `Found ${found.en}.` };
  },
});

const { id, status: trainingStatus, created_at, finished_at, duration_s, assignment_id } = Training.shape;

const RecentTraining = z.object({
  training_id: id,
  member: Person.nullable().meta({
    description: 'The member who practised; null where the caller may not see members.',
  }),
  status: trainingStatus,
  started_at: created_at,
  finished_at,
  duration_s,
  assignment_id,
  ...practised,
});

export const recentTrainings = tool('recent_trainings', {
  title: { de: 'Letzte Trainings', en: 'Recent trainings' },
  description:
    'The latest practised conversations of the team or of one member, newest first: who, when, how long, with what. Has no scores: use member_evaluations for those.',
  uses: ['trainings.list'],
  input: z.strictObject({
    member_id: memberId.optional(),
    days: z.int().min(1).max(365).default(14).meta({ description: 'The number of days to look back.' }),
    status: trainingStatus.optional(),
    limit: z.int().min(1).max(50).default(20),
  }),
  output: z.object({ trainings: z.array(RecentTraining), complete: Complete }),
  async run(call, { member_id: wanted, days, status: inState, limit }) {
    const one = wanted === undefined ? undefined : await memberWithUserId(call, wanted);
    const userId = one?.userId;
    if (userId === null) return { trainings: [], complete: true };
    const { data, next_cursor: next } = await call.run((api) =>
      api.trainings.list({
        since: daysAgo(call, days),
        limit,
        ...(userId !== undefined && { user_id: userId }),
        ...(inState && { status: inState }),
      }),
    );
    if (data.length === 0) return { trainings: [], complete: next === null };
    const memberOf = one ? () => one.person : await peopleOf(call);
    const namesOf = await catalogNamesOf(call);
    const trainings = data.map((row) => ({
      training_id: row.id,
      member: memberOf(row.user_id),
      status: row.status,
      started_at: row.created_at,
      finished_at: row.finished_at,
      duration_s: row.duration_s,
      assignment_id: row.assignment_id,
      ...namesOf(row),
    }));
    return { trainings, complete: next === null };
  },
  summary: ({ trainings, complete }) => {
    const found = counted(trainings.length, nouns.training, { orMore: !complete });
    return { de: `${found.de}.`, en: `${found.en}.` };
  },
});

const { score, tips, goal, strongest, biggest_lever } = Evaluation.shape;

export const memberEvaluations = tool('member_evaluations', {
  title: { de: 'Bewertungen eines Mitglieds', en: 'Evaluations of a member' },
  description:
    'The latest evaluations of one member: score, the five dimensions, what went best, the biggest lever, and up to five tips with a better wording for each. The best preparation for a coaching talk.',
  uses: ['members.get', 'trainings.list+evaluation'],
  input: z.strictObject({
    member_id: memberId,
    limit: z.int().min(1).max(5).default(3).meta({ description: 'The number of evaluations.' }),
  }),
  output: z.object({
    member: Person,
    evaluations: z.array(
      z.object({
        training_id: z.string(),
        practised_at: created_at,
        ...practised,
        score,
        goal,
        strongest,
        biggest_lever,
        tips,
      }),
    ),
  }),
  async run(call, { member_id: wanted, limit }) {
    const { userId, person: member } = await memberWithUserId(call, wanted);
    if (userId === null) return { member, evaluations: [] };
    const { data } = await call.run((api) =>
      api.trainings.list({ user_id: userId, status: 'scored', include: 'evaluation', limit }),
    );
    const namesOf = await catalogNamesOf(call);
    const evaluations = data.flatMap((row) =>
      row.evaluation ? [{ ...row.evaluation, practised_at: row.created_at, ...namesOf(row) }] : [],
    );
    return { member, evaluations };
  },
  summary: ({ member, evaluations }) => {
    const who = spokenOf(member);
    const scores = evaluations.map(({ score: { total } }) => total ?? '–').join(', ');
    if (evaluations.length === 0)
      return { de: `${who} hat noch keine Bewertung.`, en: `${who} has no evaluation yet.` };
    return { de: `${who}: Punkte zuletzt ${scores}.`, en: `${who}: latest scores ${scores}.` };
  },
});
