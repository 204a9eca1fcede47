import { flawAt, syncMessages, wrong } from '../../../core/messages/crm.ts';
import { toCamel } from '../../../core/spelling.ts';
import { isStorable } from '../../../core/storable.ts';
import { z } from 'zod';
import { pathText, readAs } from './answer.ts';
import { SyncFailure } from './failure.ts';
import type { ChangesPage, MakeProvider } from './provider.ts';
import { DeletedDeal, notStorable, SourceDeal, SourceObjection } from './rows.ts';

/**
 * The generic feed: `GET <url>` with the queries `since` and `cursor` answers with a page of deals and objections.
 * `src/server/developers/pages/en/crm-feed.md` is its description for customers; `rows.ts` has the form of its rows.
 */

/** The longest cursor. It is limited, because the cursor becomes a part of the URL. */
const cursorCharacters = 1_000;

const isDeleted = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && 'deleted' in row && row.deleted === true;

const Frame = z.object({
  deals: z.array(z.unknown(), wrong('list')),
  objections: z.array(z.unknown(), wrong('list')).nullish(),
  next_cursor: z
    .string(wrong('textOrNull'))
    .max(cursorCharacters, { abort: true })
    .refine(isStorable, notStorable)
    .min(1, wrong('empty'))
    .nullish(),
});

/** Reads a part of the answer; `path` is its place. */
const read = <Form extends z.ZodType>(form: Form, value: unknown, path: readonly PropertyKey[] = []): z.output<Form> =>
  readAs(form, value, (issue) => {
    const place = pathText([...path, ...(issue?.path ?? [])]);
    return place === '' ? syncMessages.notAFeed : flawAt(place, issue);
  });

/** Reads a page with its schema, or throws a `SyncFailure` that names the first invalid place. */
export const readFeedPage = (answer: unknown): ChangesPage => {
  const { deals, objections, next_cursor: nextCursor } = read(Frame, answer);
  return {
    deals: deals.map((row, index) => {
      const path = ['deals', index];
      return isDeleted(row) ? read(DeletedDeal, row, path) : toCamel(read(SourceDeal, row, path));
    }),
    objections: (objections ?? []).map((row, index) => toCamel(read(SourceObjection, row, ['objections', index]))),
    nextCursor: nextCursor ?? undefined,
  };
};

/**
 * The address with parameters added or replaced. The rest of its query is kept character by character: it may be
 * signed, and `URLSearchParams` would rewrite it.
 */
const withQuery = (address: URL, query: Readonly<Record<string, string | undefined>>): URL => {
  const added = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const names = new Set(added.map(([name]) => name));
  const isReplaced = (part: string) => [...new URLSearchParams(part).keys()].some((name) => names.has(name));
  const kept = address.search
    .slice(1)
    .split('&')
    .filter((part) => !isReplaced(part));
  const parts = added.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const url = new URL(address);
  url.search = [...(kept.join('') === '' ? [] : kept), ...parts].join('&');
  return url;
};

export const makeFeed: MakeProvider = ({ url, token }, http) => {
  const ask = async (query: { since?: string | undefined; cursor?: string | undefined }): Promise<ChangesPage> => {
    if (!url) throw new SyncFailure('unavailable', syncMessages.noUrl);
    const asked = withQuery(url, query);
    return readFeedPage(await http.json({ method: 'GET', url: asked, headers: { Authorization: `Bearer ${token}` } }));
  };
  return {
    fetchChanges: (since, cursor) => ask({ since: since?.toISOString(), cursor }),
    // Hardly any deal has changed since this moment, so the answer is small. It also proves the feed's format.
    tryCredentials: async () => void (await ask({ since: new Date().toISOString() })),
  };
};
