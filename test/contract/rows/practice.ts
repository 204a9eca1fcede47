import { toSnake } from '../../../src/core/spelling.ts';
import type { appRouter } from '../../../src/modules/app-router.ts';
import { startTraining } from '../../../src/modules/trainings/service.ts';
import { quiet, twice, type Place, type Prepare } from '../../changes/writes.ts';
import {
  aCombination,
  anAssignment,
  aCase,
  aCatalogItem,
  anEvaluation,
  aScoredTraining,
  aTraining,
} from '../../support/practice.ts';
import { computed, type AppRow, type PartsOf, type RowsFor } from './kinds.ts';

// The procedures that only the app has, about what people practise and how well.

export type PracticePart =
  | 'assigning'
  | 'catalog'
  | 'myTrainings'
  | 'ownCases'
  | 'policy'
  | 'progress'
  | 'sessions'
  | 'teamAnalytics'
  | 'teamCases'
  | 'teamTrends';

/** The owner's own rows. */
const own = ({ companies: { service }, team }: Place) => ({
  assignment: (wanted: Partial<Parameters<typeof anAssignment>[2]> = {}) =>
    anAssignment(service, team, { memberId: team.owner.member_id, ...wanted }),
  scored: (assignmentId: string) => aScoredTraining(service, team, { userId: team.owner.user_id, assignmentId }),
  privateCase: () => aCase(service, team, { userId: team.owner.user_id, title: 'A draft', private: true }),
  running: async (assignmentId: string) => {
    const wanted = { memberId: team.owner.member_id, source: 'app' as const, assignmentId };
    return (await startTraining(await team.acting(), wanted)).trainingId;
  },
});

/** Gives two people an assignment each. */
const assigningTwo: Prepare = async ({ companies: { service }, team, app }, name) => {
  const member_ids = [(await team.anActiveMember()).id, (await team.anInvitedMember()).id];
  const input = { member_ids, title: 'Price talk', ...(await aCombination(service)) };
  return {
    call: async () => {
      await app(name, input);
      const made = await service.database.prisma.assignment.findMany({
        where: { tenantId: team.id, memberId: { in: member_ids } },
      });
      return { changed: made.map(({ id }) => `assignments ${id}`) };
    },
  };
};

/** Moves one's own assignment on. */
const movingOwn = twice(async (place) => {
  const assignment_id = await own(place).assignment();
  return { input: { assignment_id }, effect: { changed: [`assignments ${assignment_id}`] } };
});

const anItem = ({ companies: { service }, team }: Place, dimension: 'situation' | 'industry') =>
  aCatalogItem(service, { dimension, tenantId: team.id });

export const practice = {
  // What somebody is given to practise: admins give it, each member sees and moves their own.
  'assigning.list': { who: 'admin', refusedWhileHidden: true },
  'assigning.count': { who: 'admin', refusedWhileHidden: true },
  'assigning.given': { who: 'admin', refusedWhileHidden: true },
  'assigning.holders': { who: 'admin', refusedWhileHidden: true },
  'assigning.previewReminders': { who: 'admin', refusedWhileHidden: true },
  'assigning.reminded': { who: 'admin', refusedWhileHidden: true },
  'assigning.create': { who: 'admin', limits: { '.unmailed[].reason': computed }, write: assigningTwo },
  'assigning.createMany': { who: 'admin', limits: { '.unmailed[].reason': computed }, write: assigningTwo },
  'assigning.change': {
    who: 'admin',
    write: twice(async (place) => {
      const assignment_id = await own(place).assignment();
      return { input: { assignment_id, title: 'New' }, effect: { changed: [`assignments ${assignment_id}`] } };
    }),
  },
  'assigning.remove': {
    who: 'admin',
    write: twice(async (place) => {
      const assignment_id = await own(place).assignment();
      const training = await own(place).scored(assignment_id);
      const effect = { changed: [`trainings ${training}`], gone: [`assignments ${assignment_id}`] };
      return { input: { assignment_id }, effect };
    }),
  },
  'assigning.revokeMany': {
    who: 'admin',
    write: twice(async (place) => {
      const [open, revoked] = [await own(place).assignment(), await own(place).assignment({ status: 'revoked' })];
      return { input: { assignment_ids: [open, revoked] }, effect: { changed: [`assignments ${open}`] } };
    }),
  },
  'assigning.remindMany': {
    who: 'admin',
    write: twice(async (place) => {
      const ids = [await own(place).assignment(), await own(place).assignment()];
      return { input: { assignment_ids: ids }, effect: {} };
    }),
  },
  'assigning.setDueDates': {
    who: 'admin',
    write: twice(async (place) => {
      const ids = [await own(place).assignment(), await own(place).assignment()];
      const effect = { changed: ids.map((id) => `assignments ${id}`) };
      return { input: { assignment_ids: ids, due_date: '2027-01-15' }, effect };
    }),
  },
  'assigning.removeMany': {
    who: 'admin',
    write: twice(async (place) => {
      const [first, second] = [await own(place).assignment(), await own(place).assignment()];
      const training = await own(place).scored(second);
      const effect = { changed: [`trainings ${training}`], gone: [`assignments ${first}`, `assignments ${second}`] };
      return { input: { assignment_ids: [first, second] }, effect };
    }),
  },
  'assigning.reopenMany': {
    who: 'admin',
    write: twice(async (place) => {
      const id = await own(place).assignment({ status: 'revoked' });
      return { input: { assignment_ids: [id], status: 'open' }, effect: { changed: [`assignments ${id}`] } };
    }),
  },
  'assigning.mine': { who: 'member' },
  'assigning.own': { who: 'member' },
  'assigning.begin': { who: 'member', write: movingOwn },
  'assigning.finish': { who: 'member', write: movingOwn },

  // Everybody sees their own, also while the team hides member-level data.
  'myTrainings.count': { who: 'member' },
  'myTrainings.list': { who: 'member' },
  'myTrainings.get': { who: 'member' },
  'myTrainings.evaluation': { who: 'member' },
  'progress.mine': { who: 'member' },
  'progress.trend': { who: 'member', limits: { '.unit': computed } },
  'progress.trendOf': { who: 'admin', refusedWhileHidden: true, limits: { '.unit': computed } },
  'progress.of': { who: 'admin', refusedWhileHidden: true },
  'progress.areasOf': { who: 'admin', refusedWhileHidden: true },
  'ownCases.list': { who: 'member' },
  'ownCases.get': { who: 'member' },
  'ownCases.create': { who: 'member', write: quiet(async () => ({ title: 'A draft' })) },
  'ownCases.change': {
    who: 'member',
    write: quiet(async (place) => ({ case_id: await own(place).privateCase(), title: 'Another draft' })),
  },
  'ownCases.remove': { who: 'member', write: quiet(async (place) => ({ case_id: await own(place).privateCase() })) },
  'ownCases.share': {
    who: 'member',
    write: twice(async (place) => {
      const case_id = await own(place).privateCase();
      return { input: { case_id }, effect: { changed: [`cases ${case_id}`] } };
    }),
  },

  // Members choose from the catalog; admins decide what is in it.
  'catalog.choices': {
    who: 'member',
    limits: { '.rules[].dimension': 'rules of others are left out as they are read' },
  },
  'catalog.names': { who: 'member' },
  'catalog.items': { who: 'admin' },
  'catalog.createItem': {
    who: 'admin',
    write: quiet(async () => ({ dimension: 'industry', name: { en: 'Energy' } })),
  },
  'catalog.changeItem': {
    who: 'admin',
    write: quiet(async (place) => ({ item_id: await anItem(place, 'industry'), name: { en: 'Energy' } })),
  },
  'catalog.rules': { who: 'admin' },
  'catalog.setRules': {
    who: 'admin',
    write: quiet(async (place) => ({
      situation_id: await anItem(place, 'situation'),
      only: [],
      never: [await anItem(place, 'industry')],
    })),
  },
  'policy.team': { who: 'admin' },
  'policy.setTeam': { who: 'admin', write: quiet(async (place) => ({ block: [await anItem(place, 'industry')] })) },
  'policy.member': { who: 'admin' },
  'policy.setMember': {
    who: 'admin',
    write: quiet(async (place) => ({
      member_id: place.team.owner.member_id,
      block: [await anItem(place, 'industry')],
    })),
  },

  'sessions.list': { who: 'admin', refusedWhileHidden: true },
  'sessions.count': { who: 'admin', refusedWhileHidden: true },
  'sessions.start': {
    who: 'member',
    write: async (place, name) => {
      const assignment_id = await own(place).assignment();
      return {
        call: async () => {
          const { training_id } = await place.app(name, { assignment_id });
          return { changed: [`assignments ${assignment_id}`, `trainings ${String(training_id)}`] };
        },
      };
    },
  },
  'sessions.end': {
    who: 'member',
    write: twice(async (place) => {
      const assignment = await own(place).assignment();
      const training_id = await own(place).running(assignment);
      const effect = { changed: [`assignments ${assignment}`, `trainings ${training_id}`] };
      return { input: { training_id }, effect };
    }),
  },
  'sessions.abort': {
    who: 'member',
    write: twice(async (place) => {
      const training_id = await own(place).running(await own(place).assignment());
      return { input: { training_id }, effect: { changed: [`trainings ${training_id}`] } };
    }),
  },
  'sessions.evaluate': {
    who: 'admin',
    write: async ({ companies: { service }, team, app }, name) => {
      const at = service.clock.now();
      const ended = { status: 'ended', createdAt: at, finishedAt: at } as const;
      const training_id = await aTraining(service, team, { userId: team.owner.user_id, ...ended });
      // Each save counts as a change, so the same evaluation is not saved again here.
      return {
        call: async () => {
          await app(name, { training_id, ...toSnake(anEvaluation({ total: 40 })) });
          return { changed: [`trainings ${training_id}`] };
        },
      };
    },
  },

  'teamAnalytics.scores': { who: 'member', limits: { '.trend.unit': computed } },
  'teamAnalytics.show': { who: 'member', limits: { '.trend.unit': computed, '.leaderboard.reason': computed } },
  'teamTrends.compare': { who: 'admin', refusedWhileHidden: true, limits: { '.unit': computed } },
  'teamTrends.show': { who: 'member', limits: { '.unit': computed } },
  'teamCases.count': { who: 'admin', refusedWhileHidden: true },
} satisfies RowsFor<Pick<PartsOf<typeof appRouter>, PracticePart>, AppRow>;
