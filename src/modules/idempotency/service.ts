import { z } from 'zod';
import { hoursToMs, later } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { fail, Problem, ProblemMembers, problemCodes } from '../../core/problem.ts';
import type { ProblemCode } from '../../core/problem.ts';
import { lockNumber, tryLock } from '../../db/advisory-lock.ts';
import { pack, unpack } from '../../core/raw-json.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { contextOf, openAnswer, sealAnswer } from './sealed-answer.ts';
import { answers, deletedAtOnce, savepoint } from './store.ts';

export { resealAnswers } from './reseal.ts';

/** A POST that its sender may repeat without doing it twice. */
export interface Repeatable {
  readonly key: string;
  /** Recognises the same request: method, path and exact body. */
  readonly fingerprint: () => Buffer;
  /** Told when the answer is the one of the first call. */
  readonly onReplay: () => void;
}

/** Problems that say nothing about the action itself: the next call may well succeed. */
const notKept: ReadonlySet<ProblemCode> = new Set([
  'insufficient_scope',
  'validation_error',
  'rate_limited',
  'unavailable',
  'internal',
]);

const KeptAnswer = z.union([
  z.object({ answer: z.unknown() }),
  z.object({ problem: z.object({ code: z.enum(problemCodes), members: ProblemMembers }) }),
]);
type KeptAnswer = z.output<typeof KeptAnswer>;

type Outcome = { answer: unknown } | { problem: Problem };

/**
 * Does an action once per idempotency key: a repetition gets the first answer, and the record commits together with what
 * the action did, so a crash leaves neither.
 *
 *   free ──first call takes the lock──▶ running ──commit──▶ kept ──24 hours──▶ free
 *                                          │ fails without an answer of its own, or crashes
 *                                          ▼
 *                                        free
 *
 * A call that finds `running` gets `conflict`; one that finds `kept` the first answer, or `idempotency_mismatch` when it
 * asks for something else. Any number may replay at once.
 */
export const answerOnce = async (
  team: Team,
  { key, fingerprint, onReplay }: Repeatable,
  action: (team: Team) => Promise<unknown>,
): Promise<unknown> => {
  checkKey(key);
  const { database, vault, clock } = team.platform;

  const outcome = await database.transaction(
    async (tx): Promise<Outcome> => {
      const mine = await tryLockKey(tx, team, key);
      const kept = await answers.get(tx, team.id, key);
      if (kept && kept.expiresAt > clock.now()) {
        if (!fingerprint().equals(kept.fingerprint)) fail('idempotency_mismatch');
        const first = KeptAnswer.parse(unpack(openAnswer(vault, contextOf(team.id, key), kept.answer)));
        onReplay();
        if ('problem' in first) return { problem: new Problem(first.problem.code, first.problem.members) };
        return first;
      }
      if (!mine) fail('conflict', { detail: 'A call with the same Idempotency-Key is still running.' });
      // Before the action takes any lock: the sweep locks an old record and then the counter, too.
      if (kept) await answers.lock(tx, team.id, key);

      const outcome = await attempt(tx, () => action({ ...team, tx }));
      const now = clock.now();
      const answer = sealAnswer(vault, contextOf(team.id, key), pack(toKeep(outcome)));
      const expiresAt = later(now, hoursToMs(limits.idempotencyHours));
      const record = { tenantId: team.id, key, fingerprint: fingerprint(), answer, createdAt: now, expiresAt };
      if (!(await answers.keep(tx, record))) {
        fail('validation_error', {
          field: 'Idempotency-Key',
          detail: `The answers kept for Idempotency-Keys have used up their storage. Each is deleted after ${limits.idempotencyHours} hours.`,
        });
      }
      return outcome;
    },
    { group: team.id },
  );
  if ('problem' in outcome) throw outcome.problem;
  return outcome.answer;
};

const checkKey = (key: string) => {
  const length = [...key].length;
  if (length < 1 || length > limits.idempotencyKeyCharacters) fail('validation_error', { field: 'Idempotency-Key' });
};

/** Held until the transaction ends, and given back only after what it committed can be seen. */
const tryLockKey = (tx: Tx, team: Team, key: string): Promise<boolean> =>
  tryLock(tx, lockNumber(`idempotency ${contextOf(team.id, key)}`));

/** What the action did is undone when it ends in a problem; the transaction goes on, so that the problem can be kept. */
const attempt = async (tx: Tx, action: () => Promise<unknown>): Promise<Outcome> => {
  await savepoint.set(tx);
  try {
    return { answer: await action() };
  } catch (error) {
    if (!(error instanceof Problem) || notKept.has(error.code)) throw error;
    await savepoint.rollBack(tx);
    return { problem: error };
  }
};

const toKeep = (outcome: Outcome): KeptAnswer =>
  'answer' in outcome ? outcome : { problem: { code: outcome.problem.code, members: { ...outcome.problem.members } } };

/** What is left then, the next sweep forgets. */
const forgettingAtMost = 30_000;

/** Deletes the answers whose time is over, in batches; one whose key is being used again is left to that call. */
export const forgetOldAnswers = async ({ database, clock }: Platform): Promise<void> => {
  const until = performance.now() + forgettingAtMost;
  let gone = deletedAtOnce;
  while (gone === deletedAtOnce && performance.now() < until) gone = await answers.deleteExpired(database, clock.now());
};
