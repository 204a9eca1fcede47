import { Pool } from 'undici';
import { afterAll } from 'vitest';
import { limits } from '../../../src/core/limits.ts';
import { makeBrowser, type BrowserSession, testPassword } from '../../support/people.ts';
import { certificates } from '../../support/certificates.ts';
import { localFeeds } from '../../support/receiver.ts';
import { startNameServer } from '../../support/name-server.ts';
import { useTestService, type TestService } from '../../support/service.ts';
import { aTeam, type TestTeam } from '../../support/team.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A service with a team, and callers who may do everything in it. */
export interface Callers {
  readonly service: TestService;
  readonly team: TestTeam;
  /** The owner of the team, who has just signed in. */
  readonly owner: BrowserSession;
  /** The headers of the owner, in the team and without it, and of a key with every scope. */
  readonly signedIn: Readonly<Record<string, string>>;
  readonly inTeam: Readonly<Record<string, string>>;
  readonly withKey: Readonly<Record<string, string>>;
  /** Budgets have tests of their own. */
  refillBudgets(): Promise<void>;
  /** An address from which nothing has come yet, because addresses have budgets too. */
  makeAddress(): string;
  /** Builds a request, which answers with its status. */
  prepare(route: Route): () => Promise<number>;
}

export const json = { 'Content-Type': 'application/json' };

export const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Route => ({
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});

export const useCallers = async (): Promise<Callers> => {
  const dns = await startNameServer();
  const service = await useTestService({
    environment: {
      TRUST_PROXY: '1',
      SIGN_IN_RATE_PER_MIN: '1000000',
      WEBHOOK_DNS_SERVERS: dns.address,
      ...localFeeds((await certificates()).caFile()),
    },
    signIn: { callsPerSessionPerMinute: 1_000_000 },
  });
  const pool = new Pool(service.origin, { connections: 8 });
  afterAll(async () => {
    await pool.close();
    await dns.close();
  });
  const team = await aTeam(service, { ownerPassword: testPassword, seats: 5_000 });
  const owner = makeBrowser(service);
  await owner.signIn(team.owner.email, testPassword);
  // Without the cookie of a known browser, whose tries have a budget of their own.
  const session = [...owner.cookies].filter(([name]) => name.endsWith('session_token'));
  const signedIn = { Cookie: session.map((pair) => pair.join('=')).join('; ') };
  const { prisma } = service.database;
  let addresses = 0;
  const makeAddress = () => {
    addresses += 1;
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
  };

  return {
    service,
    team,
    owner,
    signedIn,
    inTeam: { ...signedIn, 'X-Team': team.id },
    withKey: { Authorization: `Bearer ${(await team.aKey()).text}` },
    async refillBudgets() {
      await prisma.rateWindow.deleteMany();
      await prisma.requestBudget.deleteMany();
    },
    makeAddress,
    prepare({ method, path, headers, body }) {
      const sent = {
        method,
        path,
        headers: { 'X-Forwarded-For': makeAddress(), ...headers },
        body: body === undefined ? null : Buffer.from(body),
      };
      return async () => {
        const answer = await pool.request(sent);
        await answer.body.dump({ limit: limits.bodyBytes * 16 });
        return answer.statusCode;
      };
    },
  };
};
