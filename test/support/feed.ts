import type { Patience } from '../../src/modules/crm/providers/http.ts';
import { takeRun, workOn } from '../../src/modules/crm/run.ts';
import { connect } from '../../src/modules/crm/service.ts';
import { aReceiver, type AnswerProgress, type Received, type Receiver } from './receiver.ts';
import type { TestService } from './service.ts';
import type { TestTeam } from './team.ts';

/** Settings with which the service reaches receivers on this machine. */
export const localFeeds = (caFile: string): Record<string, string> => ({
  WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
  WEBHOOK_CA_FILE: caFile,
});

export interface FeedPage {
  deals?: readonly object[];
  objections?: readonly object[];
  next_cursor?: string | null;
}

/** A page as a feed answers with it. */
export const page = ({ deals = [], objections = [], next_cursor = null }: FeedPage) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ deals, objections, next_cursor }),
});

/** The query of a request to the feed. */
export const asked = ({ path }: Received): { since: string | null; cursor: string | null } => {
  const { searchParams } = new URL(path, 'https://feed.example');
  return { since: searchParams.get('since'), cursor: searchParams.get('cursor') };
};

/**
 * A feed over TLS that closes at the end of the test. If `answer` is a list, its pages have the cursors `1`, `2` and so
 * on.
 */
export const aFeed = (answer: AnswerProgress | readonly FeedPage[]): Promise<Receiver> => {
  const answerProgress: AnswerProgress =
    typeof answer === 'function'
      ? answer
      : (request) => {
          const at = Number(asked(request).cursor ?? 0);
          return page({ ...answer[at], next_cursor: at + 1 < answer.length ? String(at + 1) : null });
        };
  return aReceiver({ answer: answerProgress });
};

export const token = 'a-token-of-the-feed';

/** A connection of the team to a feed, whose first sync is due. */
export const aFeedConnection = async (team: TestTeam, { url }: { url: string }): Promise<string> => {
  const wanted = { provider: 'feed', url: `${url}/crm?tenant=7`, token } as const;
  return (await connect(await team.acting(), wanted, { tries: false })).connectionId;
};

/** The same patience as in a real run, but with short waits. */
export const quick: Patience = {
  timeout: 5_000,
  pausesBetweenTries: [10, 20],
  waits: { max: 5, longest: 50, usual: 20 },
};

/** Runs a sync now and returns the stored run. */
export const aSync = async (
  { platform, database }: TestService,
  { id: tenantId }: { id: string },
  connectionId: string,
  patience: Patience = quick,
) => {
  const taken = await takeRun(platform, { tenantId, connectionId }, { requested: true });
  if (taken.state !== 'taken') throw new Error(`The run could not be taken: ${taken.state}`);
  const { signal } = new AbortController();
  await workOn(platform, taken.run, {
    signal,
    patience,
    complain: (error) => {
      throw error;
    },
  });
  return database.prisma.crmRun.findFirstOrThrow({ where: { tenantId, id: taken.run.claimed.id } });
};
