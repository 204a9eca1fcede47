import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { stringify } from '../../core/json.ts';
import type { Logger } from '../../core/log.ts';
import { fail } from '../../core/problem.ts';
import { forTeam } from '../../db/row-security.ts';
import { problemOf } from '../../db/unavailable.ts';
import { admitAgain } from '../../modules/keys/service.ts';
import { beginListExport } from '../../modules/list-exports/service.ts';
import type { Team } from '../../platform/team.ts';
import type { KeyContext } from '../../platform/trpc/context.ts';
import { noteProblem } from '../http/request-context.ts';
import type { InputValues } from './read-input.ts';

// Answers with all pages of a procedure, as NDJSON (`streamed` in its metadata):
//
//   first page ──▶ headers, its rows ──▶ pause, key and team judged anew ──▶ next page ──▶ … ──▶ the cursor
//
// Each page is a call of the procedure, with all its checks. The next page is read when the client has taken the one
// before it. So a slow client holds no transaction, and only a few pages of memory. A failure after the first page
// breaks the answer off: then it has no cursor, and HTTP shows that its end is missing.

/**
 * Calls the procedure. For a further page it gets another context, and other values in addition to those of the
 * request.
 */
export type CallPage = (further?: { ctx?: Partial<KeyContext>; values?: InputValues }) => Promise<unknown>;

const Page = z.object({ data: z.array(z.unknown()), cursor: z.string(), has_more: z.boolean() });

export const ndjson = 'application/x-ndjson';

/**
 * The share of a process's time that the reads of all its streams together may take. So streams delay the requests of
 * other teams little, however many there are.
 */
const workShare = 0.0625;

/** How old the last check of key and team may be when a page is read. A check takes a quarter of the time of a page. */
const judgedForMs = 250;

/** Longer pauses could be taken for a dead connection. */
const longestPauseMs = 5_000;

interface StreamParts {
  log: Logger;
  /** Whether the process stops, or maintenance is on. */
  isClosing: () => boolean;
}

/** The streamed answers of a process. */
export const makeStreams = ({ log, isClosing }: StreamParts) => {
  let running = 0;

  const pauseAfter = (tookMs: number) => sleep(Math.min(longestPauseMs, tookMs * (running / workShare - 1)));

  /** The texts of an answer, from its first page on. */
  async function* texts(first: unknown, team: Team, call: CallPage) {
    let startedAt = performance.now();
    let judgedAt = startedAt;
    let { privacy } = team;
    let page = Page.parse(first);
    for (;;) {
      const lines = page.data.map((row) => `${stringify(row)}\n`).join('');
      const tookMs = performance.now() - startedAt;
      if (lines !== '') yield lines;
      if (!page.has_more) return page.cursor;
      await pauseAfter(tookMs);
      if (isClosing()) fail('unavailable');
      startedAt = performance.now();
      if (startedAt - judgedAt > judgedForMs) {
        privacy = await forTeam(team.id, () => admitAgain(team));
        judgedAt = startedAt;
      }
      page = Page.parse(await call({ ctx: { team: { ...team, privacy } }, values: { cursor: page.cursor } }));
    }
  }

  const noteBreak = ({ context }: Request, error: unknown): void => {
    const problem = problemOf(error);
    noteProblem(context, problem);
    const level = problem.code === 'internal' ? 'error' : 'info';
    log[level]({ request_id: context.requestId, err: error }, 'an export was broken off');
  };

  /** Answers a request. A failure before its first page is thrown, and becomes a problem like any other. */
  return async (request: Request, response: Response, team: Team, call: CallPage): Promise<void> => {
    let end = async () => {};
    const claimStream = async () => {
      end = await beginListExport(team);
    };
    const whole = async function* (first: unknown) {
      try {
        const cursor = yield* texts(first, team, call);
        // The team's claim is released before the last line is sent, so that a client that has read this line can begin
        // the next export.
        await end();
        yield `${JSON.stringify({ cursor })}\n`;
      } catch (error) {
        noteBreak(request, error);
        throw error;
      }
    };
    running += 1;
    try {
      const first = await call({ ctx: { claimStream } });
      // Otherwise nginx would take the whole answer at once, into a file.
      response.set({ 'Content-Type': `${ndjson}; charset=utf-8`, 'X-Accel-Buffering': 'no' });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      request.context.answerProgress.streams();
      // A failure closes the connection. It is already noted, or the client has left.
      await pipeline(Readable.from(whole(first), { objectMode: false }), response).catch(() => {});
    } finally {
      running -= 1;
      await end();
    }
  };
};
