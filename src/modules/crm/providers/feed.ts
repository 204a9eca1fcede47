import { z } from 'zod';
import { readInstant } from '../../../core/clock.ts';
import { decimalText, pathText, readAs } from './answer.ts';
import { SyncFailure } from './provider.ts';
import type { ChangesPage, OpenProvider } from './provider.ts';

/**
 * The generic feed: `GET <url>` with the queries `since` and `cursor` answers with a page of deals and objections. `src/server/developers/pages/en/crm-feed.md` is
 * its description for customers; the schemas below are the form.
 */

const idCharacters = 255;
/** The cursor becomes a part of the URL. */
const cursorCharacters = 1_000;

const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const hasNoControls = (text: string): boolean => !/\p{Cc}/u.test(text);

const Text = z.string('It must be a text.').refine(storable, 'It must not contain NUL or half of a surrogate pair.');
const NoText = Text.nullish();
const Id = Text.refine(hasNoControls, 'It must not contain control characters.')
  .min(1, 'It must not be empty.')
  .max(idCharacters, `It must have at most ${idCharacters} characters.`);
const NoId = Text.max(idCharacters, `It must have at most ${idCharacters} characters.`).nullish();

const Amount = z.unknown().transform((value, context) => {
  if (value === null || value === undefined) return null;
  const amount = decimalText(value);
  if (amount !== undefined) return amount;
  context.addIssue('It must be a decimal number or the text of one, like "18400.50".');
  return z.NEVER;
});

const Probability = z.unknown().transform((value, context) => {
  if (value === null || value === undefined) return null;
  const per = typeof value === 'string' ? NaN : Number(decimalText(value));
  if (per >= 0 && per <= 100) return Math.round(per);
  context.addIssue('It must be a number from 0 to 100.');
  return z.NEVER;
});

const Day = z.iso
  .date('It must be a day like 2026-12-15.')
  .refine((day) => !day.startsWith('0000'), 'There is no year 0.');

const Instant = z.string('It must be a time like 2026-11-20T09:30:00Z.').transform((text, context) => {
  const time = readInstant(text);
  if (time) return time;
  context.addIssue('It must be a time like 2026-11-20T09:30:00Z.');
  return z.NEVER;
});

const Deal = z
  .object({
    id: Id,
    outcome: z.enum(['open', 'won', 'lost'], 'It must be open, won or lost.'),
    title: NoText,
    amount: Amount.optional(),
    currency: z
      .string('It must be a text.')
      .regex(/^[A-Z]{3}$/, 'It must be a currency of ISO 4217, like EUR.')
      .nullish(),
    close_date: Day.nullish(),
    probability: Probability.optional(),
    pipeline_id: NoId,
    stage_id: NoId,
    industry: NoText,
    lost_reason: NoText,
    owner_email: NoText,
    last_activity_at: Instant.nullish(),
  })
  .transform((deal) => ({
    id: deal.id,
    outcome: deal.outcome,
    title: deal.title ?? null,
    amount: deal.amount ?? null,
    currency: deal.currency ?? null,
    closeDate: deal.close_date ?? null,
    probability: deal.probability ?? null,
    pipelineId: deal.pipeline_id ?? null,
    stageId: deal.stage_id ?? null,
    industry: deal.industry ?? null,
    lostReason: deal.lost_reason ?? null,
    ownerEmail: deal.owner_email ?? null,
    lastActivityAt: deal.last_activity_at ?? null,
  }));

const DeletedDeal = z.object({ id: Id }).transform(({ id }) => ({ id, deleted: true as const }));

const isDeleted = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && 'deleted' in row && row.deleted === true;

const Objection = z
  .object({
    id: Id,
    deal_id: Id,
    category: Id,
    text: Text,
    lang: Id,
    created_at: Instant.nullish(),
  })
  .transform(({ id, deal_id: dealId, category, text, lang, created_at: createdAt }) => ({
    id,
    dealId,
    category,
    text,
    lang,
    createdAt: createdAt ?? null,
  }));

const Frame = z.object({
  deals: z.array(z.unknown(), 'It must be a list.'),
  objections: z.array(z.unknown(), 'It must be a list.').nullish(),
  next_cursor: z
    .string('It must be a text or null.')
    .refine(storable, 'It must not contain NUL or half of a surrogate pair.')
    .min(1, 'It must not be empty.')
    .max(cursorCharacters, `It must have at most ${cursorCharacters} characters.`)
    .nullish(),
});

/** Reads a part of the answer; `path` is its place. */
const read = <Form extends z.ZodType>(form: Form, value: unknown, path: readonly PropertyKey[] = []): z.output<Form> =>
  readAs(form, value, (rest, wrong) => {
    const place = pathText([...path, ...rest]);
    return place === '' ? 'The feed’s answer must be an object with a list of deals.' : `${place}: ${wrong}`;
  });

/** Reads a page with its schema, or throws a `SyncFailure` that names the first invalid place. */
export const readFeedPage = (answer: unknown): ChangesPage => {
  const { deals, objections, next_cursor } = read(Frame, answer);
  return {
    deals: deals.map((row, index) => {
      const path = ['deals', index];
      return isDeleted(row) ? read(DeletedDeal, row, path) : read(Deal, row, path);
    }),
    objections: (objections ?? []).map((row, index) => read(Objection, row, ['objections', index])),
    nextCursor: next_cursor ?? undefined,
  };
};

/**
 * The address with parameters added or replaced. The rest of its query is kept character by character: it may be signed, and
 * `URLSearchParams` would rewrite it.
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

export const openFeed: OpenProvider = ({ url, token }, http) => {
  const ask = async (query: { since?: string | undefined; cursor?: string | undefined }): Promise<ChangesPage> => {
    if (!url) throw new SyncFailure('unavailable', 'The connection has no address of a feed.');
    const asked = withQuery(url, query);
    return readFeedPage(await http.json({ method: 'GET', url: asked, headers: { Authorization: `Bearer ${token}` } }));
  };
  return {
    fetchChanges: (since, cursor) => ask({ since: since?.toISOString(), cursor }),
    // Few deals have changed since then, if any. The answer also proves the feed's format.
    tryCredentials: async () => void (await ask({ since: new Date().toISOString() })),
  };
};
