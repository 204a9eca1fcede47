import { later, secondsToMs } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { inTransaction, teamAt } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { recount } from '../analytics/service.ts';
import { activeUsers } from '../members/membership.ts';
import { lockTeam } from '../teams/service.ts';
import { abortTraining, endTraining, evaluationRow, saveEvaluation, startTraining } from './service.ts';
import type { TrainingStatus, NewEvaluation, Training } from './schema.ts';
import { evaluations, trainings } from './store.ts';

interface Recorded {
  memberId: string;
  assignmentId?: string | undefined;
  /** When it started; now if absent. */
  at?: Date | undefined;
  status: TrainingStatus;
  /** The score of every dimension and the total, if the training is scored. */
  score: number;
}

/** The duration of a recorded training. */
const length = secondsToMs(8 * 60);

/** Records a whole training at once, with the same rules, events and sums as a real one. All or nothing. */
export const recordTraining = (
  caller: Team,
  { memberId, assignmentId, at, status, score }: Recorded,
): Promise<string> =>
  inTransaction(caller, async (tx) => {
    const now = caller.platform.clock.now();
    const startedAt = at ?? now;
    if (startedAt > now) fail('validation_error', { field: 'at', detail: 'A training can not start in the future.' });
    const finishedAt = new Date(Math.min(later(startedAt, length).getTime(), now.getTime()));
    const team = { ...(await lockTeam(tx, caller)), tx };

    const started = teamAt(team, startedAt);
    const { training_id: id } = await startTraining(started, {
      memberId,
      source: 'app',
      assignment_id: assignmentId ?? null,
    });
    const finished = teamAt(team, finishedAt);
    if (status === 'aborted') await abortTraining(finished, id);
    if (status === 'ended' || status === 'scored') await endTraining(finished, id);
    if (status === 'scored') await saveEvaluation(finished, id, evaluationWith(score, team.row.language));
    return id;
  });

type Words = Pick<NewEvaluation, 'tips' | 'strongest' | 'biggest_lever'>;

/** Texts that fit almost any evaluation. */
const words: Readonly<Record<Language, Words>> = {
  de: {
    strongest: 'Fragt nach, bis der Bedarf klar ist, statt zu früh vorzustellen.',
    biggest_lever: 'Am Ende einen konkreten nächsten Schritt mit Datum vorschlagen.',
    tips: [
      {
        issue: 'Der Preis wird verteidigt, bevor der Einwand verstanden ist.',
        moment: '„Das ist uns zu teuer.“ – „Dafür bekommen Sie aber auch …“',
        principle: 'Erst verstehen, woran der Preis gemessen wird, dann antworten.',
        rewrite: '„Zu teuer im Vergleich wozu?“',
        impact: 'Aus einem Nein wird ein Gespräch über den Nutzen.',
      },
      {
        issue: 'Das Gespräch endet ohne Verabredung.',
        moment: '„Melden Sie sich einfach, wenn Sie so weit sind.“',
        principle: 'Wer den nächsten Schritt vorschlägt, behält ihn in der Hand.',
        rewrite: '„Passt Ihnen Donnerstag um zehn, um das Angebot gemeinsam durchzugehen?“',
        impact: 'Die Entscheidung bekommt ein Datum.',
      },
    ],
  },
  en: {
    strongest: 'Keeps asking until the need is clear instead of presenting too early.',
    biggest_lever: 'Propose a concrete next step with a date at the end.',
    tips: [
      {
        issue: 'The price is defended before the objection is understood.',
        moment: '“That is too expensive for us.” – “But look at what you get …”',
        principle: 'First find out what the price is measured against, then answer.',
        rewrite: '“Too expensive compared with what?”',
        impact: 'A no becomes a talk about value.',
      },
      {
        issue: 'The conversation ends without an agreement.',
        moment: '“Just get in touch when you are ready.”',
        principle: 'Whoever proposes the next step keeps hold of it.',
        rewrite: '“Does Thursday at ten suit you to go through the offer together?”',
        impact: 'The decision gets a date.',
      },
    ],
  },
};

const goalWith = (score: number): NewEvaluation['goal'] => {
  if (score >= 70) return 'reached';
  return score >= 40 ? 'partial' : 'missed';
};

/** A plausible evaluation with this score in every dimension. */
export const evaluationWith = (score: number, language: Language): NewEvaluation => ({
  ...words[language],
  dimensions: {
    closing: score,
    conversation_control: score,
    needs_analysis: score,
    objection_handling: score,
    value_argument: score,
  },
  total: score,
  goal: goalWith(score),
  methodology: null,
});

/** A past training to import. */
export interface PastTraining {
  user_id: string;
  /** With an evaluation, a training that `ended` is `scored`. */
  status: 'running' | 'ended' | 'aborted';
  source: Training['source'];
  created_at: Date;
  /** Absent while it is running. */
  finished_at?: Date;
  evaluation?: NewEvaluation & { saved_at: Date };
  assignment_id?: string | null;
  situation_id?: string | null;
  personality_id?: string | null;
  industry_id?: string | null;
  role_id?: string | null;
  external_ref?: Prisma.InputJsonObject;
}

const trainingRow = (one: PastTraining) => ({
  userId: one.user_id,
  status: one.evaluation ? ('scored' as const) : one.status,
  source: one.source,
  assignmentId: one.assignment_id ?? null,
  situationId: one.situation_id ?? null,
  personalityId: one.personality_id ?? null,
  industryId: one.industry_id ?? null,
  roleId: one.role_id ?? null,
  externalRef: one.external_ref ? JSON.stringify(one.external_ref) : null,
  finishedAt: one.finished_at ?? null,
  durationS: one.finished_at ? Math.floor((one.finished_at.getTime() - one.created_at.getTime()) / 1000) : null,
  evaluatedAt: one.evaluation?.saved_at ?? null,
  createdAt: one.created_at,
});

/** Rows that one statement writes. */
const rowsAtOnce = 1_000;

/**
 * Imports past trainings in bulk: no rules are checked and no events raised, and the sums are computed once at the end. Returns the ids
 * in the same order. It locks the team, so it must be the first in its transaction.
 */
export const importTrainings = async (tx: Tx, team: Team, past: readonly PastTraining[]): Promise<string[]> => {
  await lockTeam(tx, team);
  const active = await activeUsers(tx, team);
  const tenantId = team.id;
  const rows = past.map((one) => ({ id: newId(), one }));
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce);
    await trainings.insertMany(
      tx,
      some.map(({ id, one }) => ({ tenantId, id, listed: active.has(one.user_id), ...trainingRow(one) })),
    );
    await evaluations.insertMany(
      tx,
      some.flatMap(({ id, one: { evaluation } }) =>
        evaluation ? [{ tenantId, trainingId: id, createdAt: evaluation.saved_at, ...evaluationRow(evaluation) }] : [],
      ),
    );
  }
  await recount(tx, team);
  return rows.map(({ id }) => id);
};
