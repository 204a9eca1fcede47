import { checkTask } from '../modules/webhooks/probes.ts';
import { rewritingFlag } from '../platform/jobs.ts';

/** The number of jobs that a worker runs at once. */
export const jobsAtOnce = 10;

/** How many checks of receivers run at once. A receiver may take ten seconds to answer. */
const checksAtOnce = 2;
const otherJobsAtOnce = jobsAtOnce - checksAtOnce;
/** How many jobs run at once that work on many rows. Each occupies a process of PostgreSQL. */
const rewritingAtOnce = 2;
export const mailsOfTeamsAtOnce = otherJobsAtOnce - 3;

/**
 * How many jobs with each flag run at once. Mails leave at least one slot to other jobs, and mails of teams leave two
 * more to mails that belong to no team, such as reset links.
 */
const atOnce: Readonly<Record<string, number>> = {
  mail: otherJobsAtOnce - 1,
  'mail-of-teams': mailsOfTeamsAtOnce,
  [checkTask]: checksAtOnce,
  [rewritingFlag]: rewritingAtOnce,
};
/** How many mails of one team are sent at once, and how many to one domain. */
const mailsAtOnceOfOne = 2;

/**
 * Counts the running jobs of each flag in this process. graphile-worker starts no job with a flag that has reached its
 * limit, so that these jobs leave slots to others. A mail server may be slow for every mail to a domain, and the
 * domain's owner may cause this. So the flags of a mail's job (`mailFlags`) limit how many mails of a team, and to a
 * domain, are sent at once.
 */
export class JobLimits {
  readonly #running = new Map<string, number>();

  /**
   * The flags whose limit is reached. Null if there are none, because graphile-worker fetches several jobs at once only
   * without forbidden flags.
   */
  full(): string[] | null {
    const full = [...this.#running.keys()].filter((flag) => this.isFull([flag]));
    return full.length > 0 ? full : null;
  }

  isFull(flags: readonly string[]): boolean {
    return flags.some((flag) => (this.#running.get(flag) ?? 0) >= (atOnce[flag] ?? mailsAtOnceOfOne));
  }

  /** Counts a job until the returned function is called. */
  hold(flags: readonly string[]): () => void {
    for (const flag of flags) this.#running.set(flag, (this.#running.get(flag) ?? 0) + 1);
    return () => {
      for (const flag of flags) {
        const left = (this.#running.get(flag) ?? 0) - 1;
        if (left > 0) this.#running.set(flag, left);
        else this.#running.delete(flag);
      }
    };
  }
}
