import { mailFlags } from '../modules/mail/service.ts';

// A mail server may take its time with every mail to a domain, and the domain's owner may choose how long. So the places of a
// worker are shared out: jobs carry flags that say whose mail they send (`mailFlags`), and of each flag so many run at once. The
// queue skips jobs with a flag that is full, so they keep no place from the others while they wait.

/** The jobs that a worker runs at once. */
export const jobsAtOnce = 8;

/** Mails at once. At least one place stays free for other jobs, and two more for mails that are no team's, such as reset links. */
const most: Readonly<Record<string, number>> = { mail: jobsAtOnce - 1, 'mail-of-teams': jobsAtOnce - 3 };
/** Of one team, and to one domain. */
const mostOfOne = 2;

export interface MailPlaces {
  /** Takes a place and returns what gives it back; undefined while there is none. */
  take(mail: Parameters<typeof mailFlags>[0]): (() => void) | undefined;
  /** The flags of which no further job may start. */
  full(): string[];
}

export const makeMailPlaces = (): MailPlaces => {
  const running = new Map<string, number>();
  const isFull = (flag: string): boolean => (running.get(flag) ?? 0) >= (most[flag] ?? mostOfOne);
  return {
    take(mail) {
      const flags = mailFlags(mail);
      if (flags.some(isFull)) return undefined;
      for (const flag of flags) running.set(flag, (running.get(flag) ?? 0) + 1);
      return () => {
        for (const flag of flags) {
          const left = (running.get(flag) ?? 0) - 1;
          if (left > 0) running.set(flag, left);
          else running.delete(flag);
        }
      };
    },
    full: () => [...running.keys()].filter(isFull),
  };
};
