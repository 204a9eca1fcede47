// Load from a process of its own, so that making it takes nothing from what is measured: wrk where it is installed, which can
// send several times what the service answers; otherwise autocannon.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  /** The header's value. */
  authorization: string;
  body?: string;
}

export interface Measured {
  /** How many were answered. */
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

/** Requests in a file that both tools read: a line each, its parts with tabs between them. */
export interface RequestFile {
  readonly path: string;
  readonly count: number;
  /** Where the next load begins: it goes on where the one before ended, so that no key is used more than others. */
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
    // It has no option that does nothing: asked for its version it ends with 1.
    (error: unknown) => error instanceof Error && 'code' in error && error.code !== 'ENOENT',
  );

export type Tool = 'wrk' | 'autocannon';

export const findTool = async (): Promise<Tool> => ((await isThere('wrk')) ? 'wrk' : 'autocannon');

const Result = z.object({
  requests: z.number(),
  seconds: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** Answers of another status than 2xx. */
  refused: z.number(),
  /** Without an answer. */
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

/** Keeps so many connections busy for so long. An answer without 2xx ends the measurement: it would measure the wrong thing. */
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
