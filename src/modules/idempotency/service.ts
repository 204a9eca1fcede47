import { z } from 'zod';
import { hoursToMs, later } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { english } from '../../core/language.ts';
import { problemCodes, fail, Problem, ProblemMembers, type ProblemCode } from '../../core/problem.ts';
import { pack, unpack } from '../../core/json.ts';
import { lockNumber, tryLock } from '../../db/advisory-lock.ts';
import { setSavepoint, type Tx } from '../../db/database.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { hasRoom, sumIfFull } from '../storage/service.ts';
import { answers } from './store.ts';

/** A POST that a client may repeat without running it twice. */
interface RepeatablePost {
  readonly key: string;
  /** A hash of method, path and exact body. */
  readonly fingerprint: () => Buffer;
  /** Called if the answer is the stored one of the first call. */
  readonly onReplay: () => void;
}

const notStored: ReadonlySet<ProblemCode> = new Set([
  'api_disabled',
  'insufficient_scope',
  'validation_error',
  'rate_limited',
  'unavailable',
  'internal',
]);

/** Whether a problem is stored like an answer. If it is not, the next call with the key runs the action again. */
const isStored = ({ code, isRunning }: Problem): boolean => !notStored.has(code) && !isRunning;

/** The member `errors` is left out: only a `validation_error` has it, and that is never stored. */
const StoredProblem = z.object({ code: z.enum(problemCodes), members: ProblemMembers.omit({ errors: true }) });
const StoredAnswer = z.union([z.object({ problem: StoredProblem }), z.object({ answer: z.unknown() })]);
type StoredAnswer = z.output<typeof StoredAnswer>;

/** The result of the action: an answer, or a problem that is stored like an answer. */
type ActionResult = { answer: unknown } | { problem: Problem };

/**
 * Runs an action once for each idempotency key. A repetition gets the first answer. The answer is committed together
 * with the changes of the action, so a crash never leaves one without the other.
 *
 *   free ──first call takes the lock──▶ running ──commit──▶ stored ──24 hours──▶ free
 *                                          │ fails with a problem that is not stored, or crashes
 *                                          ▼
 *                                        free
 *
 * A call while the key is `running` gets `conflict`. A call while it is `stored` gets the first answer, or
 * `idempotency_mismatch` if the request is a different one. Any number of calls can get the stored answer at the same
 * time.
 */
export const answerOnce = async (
  team: Team,
  { key, fingerprint, onReplay }: RepeatablePost,
  action: (team: Team) => Promise<unknown>,
): Promise<unknown> => {
  checkKey(key);
  const { database, vault, clock, storage } = team.platform;
  let keptBytes: number | undefined;
  let isReplay = false;
  await sumIfFull(team, 'answers');
  await sumIfFull(team, 'stored'); // here, because the action runs within the transaction

  const result = await database.transaction(
    async (tx): Promise<ActionResult> => {
      const isLocked = await tryLockKey(tx, team, key);
      const stored = await answers.get(tx, team.id, key);
      if (stored && stored.expiresAt > clock.now()) {
        if (!fingerprint().equals(stored.fingerprint)) fail('idempotency_mismatch');
        const first = StoredAnswer.parse(unpack(vault.open(answerPurpose, contextOf(team.id, key), stored.answer)));
        isReplay = true;
        return 'problem' in first ? { problem: storedProblem(first.problem) } : first;
      }
      if (!isLocked) {
        const detail = english('A call with the same Idempotency-Key is still running.');
        fail('conflict', { detail, isRunning: true });
      }
      if (!(await hasRoom({ ...team, tx }, 'answers'))) {
        fail('validation_error', {
          field: 'Idempotency-Key',
          detail: english(
            `The answers kept for Idempotency-Keys have used up their storage. Each is deleted after ${limits.idempotencyHours} hours.`,
          ),
        });
      }
      const actionResult = await runAction(tx, () => action({ ...team, tx }));
      const now = clock.now();
      const answer = vault.seal(answerPurpose, contextOf(team.id, key), pack(storedFormOf(actionResult)));
      const expiresAt = later(now, hoursToMs(limits.idempotencyHours));
      const record = {
        tenantId: team.id,
        key,
        fingerprint: Uint8Array.from(fingerprint()),
        answer,
        createdAt: now,
        expiresAt,
      };
      await answers.keep(tx, record);
      keptBytes = Buffer.byteLength(key) + answer.length;
      return actionResult;
    },
    { group: team.id },
  );
  if (isReplay) onReplay();
  if (keptBytes !== undefined) storage.add(team.id, 'answers', keptBytes);
  if ('problem' in result) throw result.problem;
  return result.answer;
};

const checkKey = (key: string) => {
  const length = [...key].length;
  if (length >= 1 && length <= limits.idempotencyKeyCharacters) return;
  const detail = `The header Idempotency-Key may be sent once, with 1 to ${limits.idempotencyKeyCharacters} characters.`;
  fail('validation_error', { field: 'Idempotency-Key', detail: english(detail) });
};

/** The lock ends with the transaction, after its commit is visible. */
const tryLockKey = (tx: Tx, team: Team, key: string): Promise<boolean> =>
  tryLock(tx, lockNumber(`idempotency ${contextOf(team.id, key)}`));

/**
 * Runs the action. If it fails with a problem, its changes are undone, but the transaction continues, so that the
 * problem can be stored.
 */
const runAction = async (tx: Tx, action: () => Promise<unknown>): Promise<ActionResult> => {
  const undo = setSavepoint(tx);
  try {
    return { answer: await action() };
  } catch (error) {
    if (!(error instanceof Problem) || !isStored(error)) throw error;
    await undo();
    return { problem: error };
  }
};

const storedProblem = ({ code, members: { detail, ...members } }: z.output<typeof StoredProblem>): Problem =>
  new Problem(code, { ...members, ...(detail !== undefined && { detail: english(detail) }) });

const storedFormOf = (result: ActionResult): StoredAnswer =>
  'answer' in result ? result : { problem: { code: result.problem.code, members: { ...result.problem.members } } };

/** For how long one run deletes at most. The next run deletes the rest. */
const deletionMs = 30_000;

/** Deletes expired answers in batches. A record that is locked by a call with its key is left to that call. */
export const deleteOldAnswers = async ({ database, clock }: Platform): Promise<void> => {
  const until = performance.now() + deletionMs;
  let more = true;
  while (more && performance.now() < until) more = await answers.deleteExpired(database, clock.now());
};

/** The purpose with which answers are encrypted. */
const answerPurpose = 'idempotency';

const contextOf = (tenantId: string, key: string): string => `${tenantId} ${key}`;
