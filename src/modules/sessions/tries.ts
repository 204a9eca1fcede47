import { sha256 } from '../../core/crypto.ts';
import { fail } from '../../core/problem.ts';
import type { Database } from '../../db/database.ts';
import { windows } from '../windows/store.ts';

interface Counting {
  /** What is tried, and who or what it is counted for; kept as a hash. */
  what:
    | 'sign-in from' // an address
    | 'sign-in by' // a known browser
    | 'sign-in as' // an account, from one place or from everywhere
    | 'changes of' // a person
    | 'calls of'
    | 'changes in' // a team
    | 'reset for'
    | 'resets from'
    | 'resets by' // a known browser
    | 'reset with' // a link
    | 'acceptance of' // a link
    | 'proof of'
    | 'codes as' // an account
    | 'codes by' // a known browser
    | 'code of'
    | 'noted';
  whom: string;
}

interface Counted extends Counting {
  seconds: number;
  /** From how many on the window is held; without it the window ends as it began. */
  holdAt?: number;
}

/** Windows up to ten minutes are swept after ten minutes, longer ones (`day …`) after a day. */
const subjectOf = ({ what, whom }: Counting, seconds: number): string =>
  `${seconds > 600 ? 'day ' : ''}${what} ${sha256(whom).toString('base64url').slice(0, 22)}`;

const count = async (database: Database, { what, whom, seconds, holdAt = 0 }: Counted) => {
  const counted = { subject: subjectOf({ what, whom }, seconds), seconds, most: holdAt };
  return (await windows.countTry(database, counted)) ?? { used: 1, wait: 1 };
};

interface Budget extends Counted {
  most: number;
  /** What the refusal says beside how long it lasts. */
  detail?: string;
  /** Runs when a try is refused, for so many seconds. */
  onRefused?: (first: boolean, wait: number) => Promise<void> | void;
}

/**
 * Counts a try, and refuses it once there were too many: in all processes together, before anything is judged, whether or not it
 * would have succeeded.
 */
export const needTry = async (database: Database, { most, detail, onRefused, ...counted }: Budget): Promise<void> => {
  const { used, wait } = await count(database, counted);
  if (used <= most) return;
  await onRefused?.(used === most + 1, wait);
  fail('rate_limited', { retry_after: wait, ...(detail !== undefined && { detail }) });
};

/** A success ends a row of wrong tries. */
export const forgetTries = async (
  database: Database,
  { seconds, ...counting }: Counting & { seconds: number },
): Promise<void> => {
  await windows.forget(database, subjectOf(counting, seconds));
};

/** For as long as an app's code may be taken for the present one. */
const codeSeconds = 90;

/** Whether somebody shows an app's code for the first time. */
export const isFirstUse = async (database: Database, personId: string, code: string): Promise<boolean> =>
  (await count(database, { what: 'code of', whom: `${personId} ${code}`, seconds: codeSeconds })).used === 1;

/** Whether this happens for the first time in so many seconds. */
export const isFirstIn = async (database: Database, seconds: number, whom: string): Promise<boolean> =>
  (await count(database, { what: 'noted', whom, seconds })).used === 1;
