import { setImmediate } from 'node:timers/promises';
import type { AnyRouter } from '@trpc/server';
import pino from 'pino';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import { makeApi } from '../../src/run/api.ts';
import { readConfig } from '../../src/config.ts';
import type { ApiVersion } from '../../src/server/rest/rest-app.ts';
import type { Lifecycle } from '../../src/server/http/request-context.ts';
import { defaultTimeouts, type Timeouts } from '../../src/server/http/server.ts';
import { basePath } from '../../src/core/product.ts';
import { apiKeyProcedure, keyRouter, route } from '../../src/platform/trpc/procedures.ts';
import type { TestService } from '../support/service.ts';

/** Holds requests back until a test releases them. */
const makeBarrier = () => {
  let waiting = 0;
  let isReleased = false;
  let open = () => {};
  let opened = new Promise<void>((resolve) => (open = resolve));
  return {
    async pass() {
      if (isReleased) return;
      waiting += 1;
      await opened;
      waiting -= 1;
    },
    /** Resolves when this many requests wait. */
    async reached(count: number) {
      await expect.poll(() => waiting, { interval: 5 }).toBeGreaterThanOrEqual(count);
    },
    /** Releases the requests that wait now. Later requests wait again. */
    open() {
      open();
      opened = new Promise<void>((resolve) => (open = resolve));
    },
    /** Releases everything from now on. */
    release() {
      isReleased = true;
      open();
    },
  };
};

export type Barrier = ReturnType<typeof makeBarrier>;

/** The internal details in the crash's message, none of which may reach a client. */
export const insides = 'relation "secret_table" at /srv/insides.ts:42';

const Text = z.object({ text: z.string() });
const Echo = z.object({ input: z.record(z.string(), z.unknown()) });
const about = {
  operationId: 'tryTheApi',
  scope: null,
  summary: 'For a test',
  description: 'An operation that only a test has.',
  example: { output: { text: 'x' } },
};

const at = (named: Parameters<typeof route>[0]) => apiKeyProcedure.meta(route(named, about));
/** An operation without an input. */
const plain = (named: Parameters<typeof route>[0]) => at(named).input(z.strictObject({}));

/** Operations for tests that no real API has: they echo their input, crash, wait, or give long answers. */
const testRouter = (barrier: Barrier) =>
  keyRouter({
    echoPath: at('GET /echo/{text}')
      .input(
        z.strictObject({
          text: z.string(),
          number: z.int().optional(),
          flag: z.boolean().optional(),
          word: z.string().optional(),
        }),
      )
      .output(Echo)
      .query(({ input }) => ({ input })),
    echoFixed: plain('GET /echo/fixed')
      .output(Text)
      .query(() => ({ text: 'the fixed one' })),
    echoBody: at('POST /echo')
      .input(
        z.strictObject({
          value: z.unknown().optional(),
          text: z.string().optional(),
          number: z.number().optional(),
        }),
      )
      .output(Echo)
      .mutation(({ ctx, input }) => ctx.once(async () => ({ input }))),
    noBody: at('POST /echo/{text}/nothing')
      .input(Text.strict())
      .output(Text)
      .mutation(({ ctx, input }) => ctx.once(async () => input)),
    crash: plain('GET /crash')
      .output(Text)
      .query(() => {
        throw new Error(insides);
      }),
    crashLate: plain('GET /crash/late')
      .output(Text)
      .query(async () => {
        await setImmediate();
        throw Object.assign(new TypeError(insides), { cause: new Error(insides) });
      }),
    crashOddly: plain('GET /crash/oddly')
      .output(Text)
      .query(() => Promise.reject(insides)),
    wrongOutput: plain('GET /crash/output')
      .output(z.object({ text: z.string().max(3) }))
      .query(() => ({ text: insides })),
    wait: plain('GET /wait')
      .output(Text)
      .query(async () => {
        await barrier.pass();
        return { text: 'waited' };
      }),
    large: at('GET /large/{text}')
      .input(Text.strict())
      .output(Text)
      .query(({ input }) => ({ text: 'x'.repeat(Number(input.text)) })),
  });

export interface TestApi {
  readonly origin: string;
  readonly baseUrl: string;
  readonly barrier: Barrier;
  readonly lifecycle: Lifecycle;
  readonly logged: () => Record<string, unknown>[];
  drain(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

interface TestApiOptions {
  timeouts?: Timeouts;
  environment?: Record<string, string>;
  /** By default more than any socket accepts at once. */
  answerBytes?: number;
  /** Operations instead of the real ones. */
  router?: AnyRouter;
  /** Versions of the API in addition to v1. */
  laterVersions?: readonly ApiVersion[];
}

/** The service's own middlewares around the test's operations, with the database and keys of another service. */
export const startTestApi = async (
  { platform }: TestService,
  {
    timeouts = defaultTimeouts,
    environment = {},
    answerBytes = 100_000_000,
    router: given,
    laterVersions = [],
  }: TestApiOptions = {},
): Promise<TestApi> => {
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
  const barrier = makeBarrier();
  const config = readConfig({ PORT: '0', ANON_RATE_PER_MIN: '100000', ...environment });
  const parts = { router: given ?? testRouter(barrier), answerBytes };
  const { lifecycle, listen } = makeApi(platform, { config, log, parts, laterVersions });
  const server = await listen({ timeouts });
  lifecycle.ready();
  const origin = `http://127.0.0.1:${server.port}`;
  const drain = (milliseconds: number) => server.drain(milliseconds);
  return {
    origin,
    baseUrl: `${origin}${basePath}`,
    barrier,
    lifecycle,
    logged: () => lines.map((line) => JSON.parse(line)),
    drain,
    // A request that still waits at the barrier, or reaches it only now, would keep one of the places for reads that
    // all files of this worker share.
    close: () => {
      barrier.release();
      return drain(1_000);
    },
  };
};

/** The same for the whole test file; closed at its end. */
export const useTestApi = async (service: TestService, options?: TestApiOptions): Promise<TestApi> => {
  const testApi = await startTestApi(service, options);
  afterAll(() => testApi.close());
  return testApi;
};
