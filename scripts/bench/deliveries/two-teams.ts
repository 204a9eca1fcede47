import { below } from '../bounds.ts';
import { quantile } from '../statistics.ts';
import { makeBacklog } from './backlog.ts';
import { forgetEverything, makeEndpoints } from './endpoints.ts';
import { startProgram } from './program.ts';
import { timeDeliveries } from './promptness.ts';
import type { Conduct } from './receiver-words.ts';
import type { Stage } from './stage.ts';

const warmUpSeconds = 3;

interface FirstTeam {
  conduct: Conduct;
  endpoints: number;
  /** Deliveries in each endpoint's queue. */
  each: number;
}

/** The behaviour of the first team. All of its endpoints have the same host as the second team's endpoint. */
const cases = (each: number, waiting: number): Record<string, FirstTeam> => ({
  'answers 200 after 9 s': { conduct: 'slow', endpoints: 50, each },
  hangs: { conduct: 'hang', endpoints: 50, each },
  fails: { conduct: 'refuse', endpoints: 50, each },
  [`has ${waiting} waiting`]: { conduct: 'hang', endpoints: 1, each: waiting },
  'has 50 endpoints at one host': { conduct: 'uncounted', endpoints: 50, each: each * 10 },
});

interface Sizes {
  perSecond: number;
  seconds: number;
  each: number;
  waiting: number;
}

/** Measures how an overload by one team affects the deliveries of another team. */
export const measureTwoTeams = async (stage: Stage, { perSecond, seconds, each, waiting }: Sizes): Promise<void> => {
  console.log(
    `The second team's ${perSecond} events/s for ${seconds} s from commit to receipt, one worker, while the first team`,
  );
  for (const [name, { conduct, endpoints, each: count }] of Object.entries(cases(each, waiting))) {
    await forgetEverything(stage);
    const first = await makeEndpoints(stage, endpoints, conduct, { oneTeam: true, oneHost: true });
    const second = await makeEndpoints(stage, 1, 'ok', { oneHost: true });
    const environment = { ...stage.environment, WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' };
    const worker = await startProgram({ command: ['src/main.ts', 'worker'], environment });
    try {
      await timeDeliveries(stage, { told: second, perSecond, seconds: warmUpSeconds });
      await makeBacklog(stage, { told: first, each: count, sender: 'worker' });
      const times = await timeDeliveries(stage, { told: second, perSecond, seconds });
      below(`${name}: p99`, quantile(times, 0.99), 1_000, ' ms');
    } finally {
      await worker.kill('SIGKILL');
    }
  }
};
