import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { noteFailure } from '../../src/modules/crm/sync.ts';
import { inTransaction, type Team } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';
import type { RunTimes } from '../../src/modules/crm/providers/http.ts';
import { takeRun, workOn } from '../../src/modules/crm/run.ts';
import { connect } from '../../src/modules/crm/service.ts';
import type { TestService } from './service.ts';
import { aReceiver, type AnswerProgress, type Received, type Receiver } from './receiver.ts';
import type { TestTeam } from './team.ts';

type Connection = Partial<Omit<Prisma.CrmConnectionUncheckedCreateInput, 'tenantId' | 'id'>>;
type Deal = Partial<Omit<Prisma.CrmDealUncheckedCreateInput, 'tenantId' | 'connectionId' | 'objections'>>;
type Objection = Partial<Omit<Prisma.CrmObjectionUncheckedCreateInput, 'tenantId' | 'connectionId' | 'dealId'>>;

/** A team's connection to a CRM, active unless a test wants another status. */
export const aCrmConnection = async (
  { database, clock }: TestService,
  team: { id: string },
  wanted: Connection = {},
): Promise<string> => {
  const id = makeId();
  await database.prisma.crmConnection.create({
    data: { tenantId: team.id, id, provider: 'hubspot', createdAt: clock.now(), ...wanted },
  });
  return id;
};

/** A deal that a sync of the connection found. */
export const aDeal = async (
  { database, clock }: TestService,
  team: { id: string },
  connectionId: string,
  wanted: Deal = {},
): Promise<string> => {
  const id = wanted.id ?? makeId();
  await database.prisma.crmDeal.create({
    data: {
      tenantId: team.id,
      connectionId,
      externalId: id,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ...wanted,
      id,
    },
  });
  return id;
};

/** An objection of the deal. */
export const anObjection = async (
  { database, clock }: TestService,
  team: { id: string },
  dealId: string,
  wanted: Objection = {},
): Promise<string> => {
  const id = wanted.id ?? makeId();
  const { connectionId } = await database.prisma.crmDeal.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: team.id, id: dealId } },
  });
  await database.prisma.crmObjection.create({
    data: {
      tenantId: team.id,
      connectionId,
      dealId,
      externalId: id,
      category: 'price',
      text: 'Zu teuer.',
      lang: 'de',
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ...wanted,
      id,
    },
  });
  return id;
};

/** Records a failed sync of the connection, as a run does that fails. */
export const syncFailed = (
  acting: Team,
  { connectionId, reason }: { connectionId: string; reason: string },
): Promise<void> =>
  inTransaction(acting, async (tx) => {
    const team = await lockTeamShared(tx, acting);
    const where = { tenantId_id: { tenantId: team.id, id: connectionId } };
    const { provider } = await tx.crmConnection.findUniqueOrThrow({ where });
    await noteFailure(tx, team, { connectionId, provider, reason });
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
export const quick: RunTimes = {
  timeout: 5_000,
  pausesBetweenTries: [10, 20],
  waits: { max: 5, longest: 50, usual: 20 },
};

/** Runs a sync now and returns the stored run. */
export const aSync = async (
  { platform, database }: TestService,
  { id: tenantId }: { id: string },
  connectionId: string,
  patience: RunTimes = quick,
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
