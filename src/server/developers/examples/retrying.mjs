import { setTimeout as sleep } from 'node:timers/promises';

/** Retries until the answer is final. Safe for a POST with an `Idempotency-Key` in its headers. */
export const fetchPatiently = async (url, options = {}, tries = 5) => {
  for (let tried = 1; ; tried += 1) {
    const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(30_000) }).catch((error) => {
      if (tried >= tries) throw error;
    });
    const again = !answer || answer.headers.has('Retry-After');
    if (!again || tried >= tries) return answer;
    const seconds = Number(answer?.headers.get('Retry-After'));
    await sleep(1000 * (seconds > 0 ? seconds : 2 ** tried + Math.random()));
  }
};
