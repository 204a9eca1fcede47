import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import type { Clock } from '../../core/clock.ts';
import { csvText } from '../../core/csv.ts';
import type { Cell, CsvColumn } from '../../core/csv.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import type { Language } from '../../core/language.ts';
import { csvLimits, limits } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { fail, Problem } from '../../core/problem.ts';
import { csvLists, isCsvList } from './csv-lists.ts';
import type { Contexts, CsvList } from './csv-lists.ts';

// The download of a list as CSV. The rows are read by the list's own procedure, page by page, while the file is sent: memory does not
// depend on the number of rows, and no transaction stays open for a slow client.

interface Reading {
  /** The caller's contexts as they are now. */
  contexts: () => Promise<Contexts>;
  language: Language;
  isGone?: () => boolean;
}

const isBusy = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Problem && cause.code === 'rate_limited';
};

/** Reads again a few times while the team's other reads take all places: a download that fails in its middle is lost. */
const retried = async <T>(read: () => Promise<T>, isGone: () => boolean): Promise<T> => {
  for (let failed = 0; ; failed += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isBusy(error) || failed === csvLimits.repeats || isGone()) throw error;
      await new Promise((resolve) => setTimeout(resolve, csvLimits.repeatMs));
    }
  }
};

type Row = readonly Cell[];

async function* pagesOf(
  list: CsvList,
  input: Record<string, unknown>,
  { contexts, isGone = () => false }: Reading,
): AsyncGenerator<Row[]> {
  let cursor: string | undefined;
  do {
    const now = await contexts();
    const wanted = list.whole
      ? input
      : { ...input, limit: limits.pageSize.most, ...(cursor !== undefined && { cursor }) };
    const { rows, next } = await retried(() => list.read(now, wanted), isGone);
    yield rows;
    cursor = next;
  } while (cursor !== undefined && !isGone());
}

/** The name of a column in `order`: its English heading in small letters. */
const nameOf = (heading: string): string => heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');

const isEmpty = (cell: Cell): boolean => cell === null || cell === undefined || cell === '';

const compared = (one: Cell, other: Cell, collator: Intl.Collator): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : collator.compare(textOf(one), textOf(other));

const textOf = (cell: Cell): string =>
  typeof cell === 'object' && cell !== null ? cell.digits : cell === undefined || cell === null ? '' : String(cell);

/**
 * All rows of a list that the app shows whole and sorts itself, in the order of one column; rows without a value are last. Such lists are
 * short, so they are held in memory; a longer one is refused.
 */
async function* sortedPage(
  list: CsvList,
  pages: AsyncIterable<Row[]>,
  { by, desc, language }: { by: CsvColumn<Row>; desc: boolean; language: Language },
): AsyncGenerator<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length > csvLimits.sortedRows) {
      fail('validation_error', { field: 'order', detail: `${list.file.en} has too many rows to be sorted.` });
    }
  }
  const collator = new Intl.Collator(language, { numeric: true });
  const direction = desc ? -1 : 1;
  yield rows.toSorted((a, b) => {
    const [one, other] = [by.value(a), by.value(b)];
    if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
    return direction * compared(one, other, collator);
  });
}

interface Wanted {
  /** That of the list's procedure, without `limit` and `cursor`. */
  input: Record<string, unknown>;
  /** For lists that the app sorts itself: the name of a column, with `-` before it for the descending order. */
  order?: string | undefined;
}

/** The text of a list's file, in pieces. */
export const csvOf = (list: CsvList, { input, order }: Wanted, reading: Reading): AsyncGenerator<string> => {
  const { language } = reading;
  const pages = pagesOf(list, input, reading);
  if (order === undefined) return csvText(list.columns, pages, language);
  const by = list.columns.find(({ heading }) => nameOf(heading.en) === order.replace('-', ''));
  if (!by) return fail('validation_error', { field: 'order', detail: 'The list has no such column.' });
  return csvText(list.columns, sortedPage(list, pages, { by, desc: order.startsWith('-'), language }), language);
};

interface CsvParts {
  clock: Clock;
  log: Logger;
  /** Admits the request and returns how to read the caller's contexts. Throws if it is refused. */
  admit: (request: Request, response: Response) => Promise<{ teamId: string; contexts: () => Promise<Contexts> }>;
  refuse: (request: Request, response: Response, caught: unknown) => void;
}

const Input = z.record(z.string(), z.unknown()).transform(({ limit: _limit, cursor: _cursor, ...input }) => input);

const wantedIn = ({ query: { input, order } }: Request): Wanted => {
  try {
    return {
      input: Input.parse(typeof input === 'string' ? JSON.parse(input) : {}),
      ...(typeof order === 'string' && { order }),
    };
  } catch {
    return fail('validation_error', { field: 'input', detail: 'The input is a JSON object.' });
  }
};

/**
 * Answers `GET /trpc/csv/{list}?input={…}&order=…` with the list as a file. A page of another site can't send the request, because it needs a
 * header that names the team.
 */
export const csvDownload = ({ clock, log, admit, refuse }: CsvParts): RequestHandler<{ list: string }> => {
  const places = new FairSemaphore({
    places: csvLimits.atOnceInProcess,
    perGroup: csvLimits.atOncePerTeam,
    waitingPerGroup: 0,
    refusal: () => new Problem('rate_limited', { retry_after: csvLimits.busyRetrySeconds }),
  });

  return async (request, response) => {
    try {
      const name = request.params.list;
      // Express gives HEAD requests to the route as well, for which the whole list would be read.
      const list: CsvList = isCsvList(name) && request.method === 'GET' ? csvLists[name] : fail('not_found');
      const wanted = wantedIn(request);
      const { teamId, contexts } = await admit(request, response);
      const leave = await places.acquire(teamId);
      try {
        const { language } = request.exchange;
        const text = csvOf(list, wanted, { contexts, language, isGone: () => response.destroyed });
        // The first page is read before the headers are sent, so that a refusal is an answer and not half a file.
        const [heading, firstRows] = [await text.next(), await text.next()];
        const file = encodeURIComponent(`${list.file[language]}-${utcDay(clock.now())}.csv`);
        response.set({
          'Content-Type': 'text/csv; charset=utf-8; header=present',
          'Content-Disposition': `attachment; filename*=UTF-8''${file}`,
        });
        const begun = [heading, firstRows].flatMap(({ done, value }) => (done === true ? [] : [value]));
        // A failure closes the connection, so that the browser does not take a part for the whole file.
        await pipeline(Readable.from(inOrder(begun, text)), response).catch((error: unknown) =>
          log.warn({ request_id: request.exchange.requestId, list: name, err: error }, 'a CSV file was not completed'),
        );
      } finally {
        leave();
      }
    } catch (caught) {
      refuse(request, response, caught);
    }
  };
};

async function* inOrder(begun: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* begun;
  yield* rest;
}
