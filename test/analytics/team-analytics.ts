import { expect } from 'vitest';
import { publicRouter } from '../../src/modules/public-router.ts';
import { operationsOf } from '../../src/platform/trpc/procedures.ts';
import { expectDescribed } from '../support/document.ts';
import type { NewEvaluation } from '../../src/modules/trainings/schema.ts';
import type { TestService } from '../support/service.ts';
import type { TestTeam } from '../support/team.ts';
import { anEvaluation, theTrainings } from '../support/practice.ts';

const operation = operationsOf(publicRouter).find(({ name }) => name === 'analytics.team');
if (!operation) throw new Error('there is no such operation');

/** The first and the last day of a range. */
export interface Days {
  since?: string | undefined;
  until?: string | undefined;
}

/** The answer of `GET /analytics/team`, which is as the OpenAPI document describes it. */
export const ask = async (team: TestTeam, days: Days = {}) => {
  const query = Object.entries(days).flatMap(([name, day]) => (day === undefined ? [] : [`${name}=${day}`]));
  const answer = await team.client.get(['/analytics/team', query.join('&')].filter(Boolean).join('?'));
  expect(answer.status).toBe(200);
  expectDescribed(operation, answer);
  return answer.body;
};

/** The user ids of the owner, the admins and the members. */
export const usersOf = (team: TestTeam): string[] => [
  team.owner.user_id,
  ...[...team.admins, ...team.members].map(({ user_id }) => user_id ?? ''),
];

export interface PastTraining {
  userId: string;
  createdAt: Date;
  /** By default it has ended. */
  status?: 'running' | 'ended' | 'aborted';
  situationId?: string;
  /** Only of one that was scored. */
  evaluation?: Partial<NewEvaluation>;
}

/** Writes trainings of the past into the team. */
export const practise = (service: TestService, team: TestTeam, past: readonly PastTraining[]) =>
  theTrainings(
    service,
    team,
    past.map(({ evaluation, ...training }) => ({
      status: 'ended',
      ...training,
      ...(evaluation && { evaluation: { ...anEvaluation(evaluation), savedAt: training.createdAt } }),
    })),
  );
