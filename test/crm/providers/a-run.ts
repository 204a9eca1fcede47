import { onTestFinished } from 'vitest';
import { makeCrmHttp } from '../../../src/modules/crm/providers/http.ts';
import {
  defaultSettings,
  type CrmProvider,
  type CrmRequest,
  type MakeProvider,
  type ProviderSettings,
} from '../../../src/modules/crm/providers/provider.ts';
import type { SourceDeal, SourceObjection } from '../../../src/modules/crm/providers/rows.ts';
import { aLocalEgress } from '../../egress/an-egress.ts';

interface RunSettings extends Partial<ProviderSettings> {
  readonly token: string;
  /** Without the pauses that the rate limits of CRMs require. */
  readonly hurried?: boolean;
}

export interface Run {
  readonly provider: CrmProvider;
  /** The requests, in order. */
  readonly requests: readonly CrmRequest[];
}

/** A provider as a run of a sync makes it, with the service's own HTTP client. Its waits after failures are short. */
export const aRun = async (
  make: MakeProvider,
  address: string,
  { token, hurried = true, ...settings }: RunSettings,
): Promise<Run> => {
  const egress = await aLocalEgress();
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const http = makeCrmHttp({
    egress,
    teamId: 'a team',
    signal: stopped.signal,
    patience: { timeout: 20_000, pausesBetweenTries: [1, 1], waits: { max: 5, longest: 5, usual: 1 } },
  });
  const requests: CrmRequest[] = [];
  const recording = {
    json: (request: CrmRequest) => {
      requests.push(request);
      return http.json(hurried ? { ...request, gapMs: 0 } : request);
    },
  };
  const provider = make({ url: new URL(address), token, settings: { ...defaultSettings, ...settings } }, recording);
  return { provider, requests };
};

export interface Found {
  readonly deals: ReadonlyMap<string, SourceDeal>;
  readonly deleted: ReadonlySet<string>;
  readonly objections: readonly SourceObjection[];
  readonly pages: number;
  /** How often each deal was in a page. */
  readonly times: ReadonlyMap<string, number>;
}

/** Everything that a run finds, page by page, in the same way as the sync. A function makes a provider for each page. */
export const everythingSince = async (
  provider: CrmProvider | (() => Promise<CrmProvider>),
  since: Date | undefined,
): Promise<Found> => {
  const deals = new Map<string, SourceDeal>();
  const deleted = new Set<string>();
  const objections = new Map<string, SourceObjection>();
  const times = new Map<string, number>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  do {
    const ofPage = typeof provider === 'function' ? await provider() : provider;
    const page = await ofPage.fetchChanges(since, cursor);
    pages += 1;
    for (const deal of page.deals) {
      times.set(deal.id, (times.get(deal.id) ?? 0) + 1);
      // A page has all objections of its deals, so earlier ones are replaced.
      for (const [key, { dealId }] of objections) if (dealId === deal.id) objections.delete(key);
      if ('deleted' in deal) {
        deleted.add(deal.id);
        deals.delete(deal.id);
      } else deals.set(deal.id, deal);
    }
    for (const objection of page.objections) objections.set(`${objection.dealId} ${objection.id}`, objection);
    cursor = page.nextCursor;
    if (cursor !== undefined && cursors.has(cursor)) throw new Error(`The cursor ${cursor} came twice`);
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  return { deals, deleted, objections: [...objections.values()], pages, times };
};
