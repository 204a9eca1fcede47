/** Deals by id, each with the time of its last change. */
const deals = new Map([
  [
    'D-1',
    { changed: '2026-11-20T09:30:00.000Z', row: { id: 'D-1', outcome: 'open', amount: '18400.50', currency: 'EUR' } },
  ],
  ['D-2', { changed: '2026-11-21T07:00:00.000Z', row: { id: 'D-2', outcome: 'won' } }],
]);
const pageSize = 1;

/** Answers a request to the feed: its status and, for 200, the page. */
export const answer = (url, authorization) => {
  if (authorization !== 'Bearer secret-token') return { status: 401 };
  const since = url.searchParams.get('since') ?? '';
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const changed = [...deals.values()].filter(({ changed: time }) => time >= since);
  const page = changed.slice(from, from + pageSize).map(({ row }) => row);
  const next = from + pageSize;
  return {
    status: 200,
    page: { deals: page, objections: [], next_cursor: next < changed.length ? String(next) : null },
  };
};
