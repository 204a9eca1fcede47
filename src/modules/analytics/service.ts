import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';

/** Whose training it is, and the time it started: the day and week that its score counts for. */
export interface CountedTraining {
  userId: string;
  createdAt: Date;
}

export interface CountedScore {
  total: number | null;
  closing: number;
  conversationControl: number;
  needsAnalysis: number;
  objectionHandling: number;
  valueArgument: number;
}

/** Counts a training that ended. */
export const countSession = async (_tx: Tx, _team: Team, _training: CountedTraining): Promise<void> => {
  throw new Error('not built yet');
};

/** Counts an evaluation that was saved, in place of the one that it corrects if there was one. */
export const countScore = async (
  _tx: Tx,
  _team: Team,
  _training: CountedTraining,
  _score: { before?: CountedScore; now: CountedScore },
): Promise<void> => {
  throw new Error('not built yet');
};

/** Adds up everything anew from the trainings themselves, for rows that were written in bulk. */
export const recount = async (_tx: Tx, _team: Team): Promise<void> => {
  throw new Error('not built yet');
};
