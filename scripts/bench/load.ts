// Generates load in its own process, so that it takes no CPU time from the measured process: wrk where it is installed, which can send
// several times more requests than the service answers; otherwise autocannon.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  /** The value of the header `Authorization`. */
  authorization: string;
  body?: string;
}

export interface Measured {
  /** The number of answers. */
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

interface Load {
  origin: string;
  /** A file of requests, which are sent in turn. */
  requests: RequestFile;
  connections: number;
  seconds: number;
}

/** A file of requests that both tools read: one request per line, its parts separated by tabs. */
export interface RequestFile {
  readonly path: string;
  readonly count: number;
  /** The index of the next load's first request: it continues after the load before, so that all keys are used equally. */
  next: number;
}

export const writeRequests = async (path: string, requests: readonly Request[]): Promise<RequestFile> => {
  const lines = requests.map(({ method, path, authorization, body = '' }) =>
    [method, path, authorization, body].join('\t'),
  );
  if (lines.some((line) => line.split('\t').length !== 4 || line.includes('\n')))
    throw new Error('a request has a tab or a line break');
  await writeFile(path, `${lines.join('\n')}\n`);
  return { path, count: requests.length, next: 0 };
};

const execute = promisify(execFile);

const isThere = async (program: string): Promise<boolean> =>
  execute(program, ['-v']).then(
    () => true,
    // wrk has no option that exits with 0 and does nothing else: `-v` exits with 1. Only ENOENT means that it is missing.
    (error: unknown) => error instanceof Error && 'code' in error && error.code !== 'ENOENT',
  );

export type Tool = 'wrk' | 'autocannon';

export const findTool = async (): Promise<Tool> => ((await isThere('wrk')) ? 'wrk' : 'autocannon');

const Result = z.object({
  requests: z.number(),
  seconds: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** Answers with a status other than 2xx. */
  refused: z.number(),
  /** Requests without an answer. */
  failed: z.number(),
});
export type Result = z.output<typeof Result>;

const folder = join(import.meta.dirname, 'load');

const commandOf = (tool: Tool, { origin, requests: { path, next }, connections, seconds }: Load): [string, string[]] =>
  tool === 'wrk'
    ? [
        'wrk',
        [
          `-t1`,
          `-c${connections}`,
          `-d${seconds}s`,
          '--timeout',
          '10s',
          '-s',
          join(folder, 'wrk.lua'),
          origin,
          '--',
          path,
          `${next}`,
        ],
      ]
    : [process.execPath, [join(folder, 'autocannon.ts'), origin, `${connections}`, `${seconds}`, path, `${next}`]];

/** Keeps `connections` connections busy for some seconds. Throws on an answer other than 2xx, because it would falsify the measurement. */
export const measure = async (tool: Tool, load: Load): Promise<Measured> => {
  const { stdout } = await execute(...commandOf(tool, load));
  const line = stdout.split('\n').find((text) => text.startsWith('{')) ?? '{}';
  const { requests, seconds, p50, p99, refused, failed } = Result.parse(JSON.parse(line));
  if (requests === 0 || refused > 0 || failed > 0) {
    throw new Error(`${tool}: of ${requests} requests ${refused} were refused and ${failed} failed`);
  }
  load.requests.next = (load.requests.next + requests) % load.requests.count;
  return { requests, perSecond: requests / seconds, p50, p99 };
};
