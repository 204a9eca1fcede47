// Generates load with autocannon, in its own process, so that it takes no CPU time from the measured process. `measure` starts this file
// as a program: load.ts FILE reads the load from the file and prints the result as JSON.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { z } from 'zod';

const Load = z.object({
  origin: z.string(),
  /** They are sent in turn; each connection starts at another one. */
  requests: z.array(
    z.object({
      method: z.enum(['GET', 'POST']),
      path: z.string(),
      /** The value of the header `Authorization`. */
      authorization: z.string(),
      body: z.string().optional(),
    }),
  ),
  /** The index of the first request. */
  first: z.int(),
  connections: z.int(),
  seconds: z.number(),
});
type Load = z.output<typeof Load>;
export type Request = Load['requests'][number];

const Result = z.object({
  requests: z.int(),
  perSecond: z.number(),
  /** Milliseconds. */
  p50: z.number(),
  p99: z.number(),
  /** Answers with a status other than 2xx, and requests without an answer. */
  failed: z.int(),
});
export type Result = z.output<typeof Result>;

const execute = promisify(execFile);

/** Keeps the connections busy for some seconds. Throws on an answer other than 2xx, because it would falsify the measurement. */
export const measure = async (folder: string, load: Load): Promise<Result> => {
  const file = join(folder, 'load.json');
  await writeFile(file, JSON.stringify(load));
  const { stdout } = await execute(process.execPath, [import.meta.filename, file]);
  const result = Result.parse(JSON.parse(stdout));
  if (result.requests === 0 || result.failed > 0) throw new Error(`${result.failed} of ${result.requests} failed`);
  return result;
};

const generate = async ({ origin, requests, first, connections, seconds }: Load): Promise<Result> => {
  const prepared = requests.map(({ method, path, authorization, body }) => ({
    method,
    path,
    headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  }));
  let connected = 0;
  const seen = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const start = (first + Math.floor((connected * prepared.length) / connections)) % prepared.length;
      connected += 1;
      client.setRequests([...prepared.slice(start), ...prepared.slice(0, start)]);
    },
  });
  return {
    requests: seen.requests.total,
    perSecond: seen.requests.total / seen.duration,
    p50: seen.latency.p50,
    p99: seen.latency.p99,
    failed: seen.non2xx + seen.errors + seen.timeouts,
  };
};

if (import.meta.main) {
  const load = Load.parse(JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')));
  console.log(JSON.stringify(await generate(load)));
}
