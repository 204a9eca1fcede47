import { importTrainings, type PastTraining } from '../../src/modules/trainings/import.ts';
import { toCamel } from '../../src/core/spelling.ts';
import type { NewEvaluation } from '../../src/modules/trainings/schema.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';

type Wanted = Partial<PastTraining> & Pick<PastTraining, 'userId'>;

// Scores and evaluations are written as the API shows them.

/** Five different scores, so that a test notices if two are mixed up. */
export const dimensions = {
  closing: 41,
  conversation_control: 52,
  needs_analysis: 63,
  objection_handling: 74,
  value_argument: 85,
};

/** The same score in each dimension. */
export const equalScores = (score: number) => ({
  closing: score,
  conversation_control: score,
  needs_analysis: score,
  objection_handling: score,
  value_argument: score,
});

export const anEvaluation = (wanted: Partial<NewEvaluation> = {}) =>
  toCamel({
    dimensions,
    tips: [],
    goal: null,
    methodology: null,
    strongest: null,
    biggest_lever: null,
    ...wanted,
  });

/** Inserts trainings into the database and counts them, without checking any rule. Returns their ids. */
export const theTrainings = async (
  { database, clock }: TestService,
  team: Pick<TestTeam, 'acting'>,
  wanted: readonly Wanted[],
): Promise<string[]> => {
  const acting = await team.acting();
  const rows = wanted.map((one) => ({
    status: 'running' as const,
    source: 'app' as const,
    createdAt: clock.now(),
    ...one,
  }));
  return database.transaction((tx) => importTrainings(tx, acting, rows));
};

export const aTraining = async (service: TestService, team: Pick<TestTeam, 'acting'>, wanted: Wanted) => {
  const [id = ''] = await theTrainings(service, team, [wanted]);
  return id;
};

/** A training that ended and was scored. */
export const aScoredTraining = (
  service: TestService,
  team: Pick<TestTeam, 'acting'>,
  { evaluation, ...wanted }: Wanted,
): Promise<string> => {
  const now = service.clock.now();
  return aTraining(service, team, {
    status: 'ended',
    createdAt: now,
    finishedAt: now,
    evaluation: evaluation ?? { ...anEvaluation(), savedAt: now },
    ...wanted,
  });
};
