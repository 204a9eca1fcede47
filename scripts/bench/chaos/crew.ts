import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../deliveries/program.ts';
import type { Program } from '../deliveries/program.ts';

/** Worker processes. Each one that ends is started again, as an operator's supervisor does it. */
export interface Crew {
  /** Kills the next worker in turn with SIGKILL and returns the time in milliseconds since 1970. */
  killNext(): Promise<number>;
  /** Resolves when all workers have started. */
  untilComplete(): Promise<void>;
  stop(): Promise<void>;
}

const again = 200;

interface Place {
  worker: Promise<Program | undefined>;
  kept: Promise<void>;
}

export const startCrew = async (size: number, environment: Readonly<Record<string, string>>): Promise<Crew> => {
  const stopping = new AbortController();
  const begin = () =>
    startProgram({ command: ['src/main.ts', 'worker'], environment, unheard: true }).catch(() => undefined);

  const take = (): Place => {
    const place: Place = { worker: begin(), kept: Promise.resolve() };
    const keep = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        const worker = await place.worker;
        // A worker that can't reach the database exits at once, so wait before the next start.
        await (worker ? worker.ended : sleep(again));
        if (!stopping.signal.aborted) place.worker = begin();
      }
    };
    place.kept = keep();
    return place;
  };

  const places = Array.from({ length: size }, take);
  const untilComplete = async () => {
    for (const place of places) while (!(await place.worker)?.isRunning()) await sleep(again);
  };
  await untilComplete();

  let turn = 0;
  return {
    untilComplete,
    async killNext() {
      const place = places[(turn += 1) % places.length];
      const worker = await place?.worker;
      await worker?.kill('SIGKILL');
      return Date.now();
    },
    async stop() {
      stopping.abort();
      for (const place of places) {
        const worker = await place.worker;
        await worker?.kill('SIGKILL');
        await place.kept;
      }
    },
  };
};
