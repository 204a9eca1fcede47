import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../src/core/exact-json.ts';
import { readFeedPage } from '../../src/modules/crm/providers/feed.ts';
import { SyncFailure } from '../../src/modules/crm/providers/failure.ts';

const aDeal = { id: 'D-1', outcome: 'open' };
const anObjection = { id: 'O-1', deal_id: 'D-1', category: 'price', text: 'Zu teuer.', lang: 'de' };

const reasonOf = (page: unknown): string => {
  try {
    readFeedPage(page);
  } catch (error) {
    if (error instanceof SyncFailure && error.kind === 'malformed') return error.message;
    throw error;
  }
  return '';
};

describe('a page of the feed', () => {
  it('may have all fields of deals and objections; unknown members are ignored', () => {
    const page = readFeedPage(
      parseExactly(`{
        "deals": [
          { "id": "D-1", "outcome": "won", "title": "T", "amount": 18400.50, "currency": "EUR", "close_date": "2026-12-15",
            "probability": 40.0, "pipeline_id": "new", "stage_id": "offer", "industry": "energy", "lost_reason": null,
            "owner_email": "lena@example.com", "last_activity_at": "2026-11-20T09:30:00+01:00", "color": "red" },
          { "id": "D-2", "deleted": true, "outcome": 7 }
        ],
        "objections": [
          { "id": "O-1", "deal_id": "D-1", "category": "price", "text": "Zu teuer.", "lang": "de", "created_at": "2026-11-19T14:00:00Z" }
        ],
        "next_cursor": "abc", "version": 2
      }`),
    );
    expect(page).toEqual({
      deals: [
        {
          id: 'D-1',
          outcome: 'won',
          title: 'T',
          amount: '18400.50',
          currency: 'EUR',
          closeDate: '2026-12-15',
          probability: 40,
          pipelineId: 'new',
          stageId: 'offer',
          industry: 'energy',
          lostReason: null,
          ownerEmail: 'lena@example.com',
          lastActivityAt: new Date('2026-11-20T08:30:00Z'),
        },
        { id: 'D-2', deleted: true },
      ],
      objections: [
        {
          id: 'O-1',
          dealId: 'D-1',
          category: 'price',
          text: 'Zu teuer.',
          lang: 'de',
          createdAt: new Date('2026-11-19T14:00:00Z'),
        },
      ],
      nextCursor: 'abc',
    });
  });

  it('needs only id and outcome of a deal', () => {
    expect(readFeedPage({ deals: [aDeal] }).deals).toEqual([aDeal]);
  });

  it('may have values up to their bounds', () => {
    const long = 'x'.repeat(255);
    const deals = [0, 100].map((probability) => ({
      ...aDeal,
      id: long,
      pipeline_id: long,
      stage_id: long,
      probability,
    }));
    expect(readFeedPage({ deals }).deals).toMatchObject(
      deals.map(({ id, probability }) => ({ id, pipelineId: long, stageId: long, probability })),
    );
    expect(readFeedPage({ deals: [], next_cursor: 'x'.repeat(1_000) }).nextCursor).toHaveLength(1_000);
  });

  it('has a deleted deal only where `deleted` is true', () => {
    const { deals } = readFeedPage({
      deals: [
        { ...aDeal, deleted: false },
        { ...aDeal, deleted: 'true' },
      ],
    });
    expect(deals).toEqual([aDeal, aDeal]);
    for (const row of [null, 'D-1', 7]) expect(reasonOf({ deals: [row] })).toMatch(/^deals\[0\]: /);
  });

  it.each([
    [{ amount: '1,5' }, 'deals[1].amount'],
    [{ amount: {} }, 'deals[1].amount'],
    [{ probability: 101 }, 'deals[1].probability'],
    [{ probability: -1 }, 'deals[1].probability'],
    [{ pipeline_id: 'x'.repeat(256) }, 'deals[1].pipeline_id'],
    [{ stage_id: 'x'.repeat(256) }, 'deals[1].stage_id'],
    [{ id: 'x'.repeat(256) }, 'deals[1].id'],
    [{ id: 'a\nb' }, 'deals[1].id'],
    [{ close_date: '0000-01-01' }, 'deals[1].close_date'],
    [{ title: 7 }, 'deals[1].title'],
    [{ lost_reason: {} }, 'deals[1].lost_reason'],
    [{ industry: [] }, 'deals[1].industry'],
    [{ owner_email: 1 }, 'deals[1].owner_email'],
    [{ probability: '40' }, 'deals[1].probability'],
    [{ outcome: 'maybe' }, 'deals[1].outcome'],
    [{ outcome: undefined }, 'deals[1].outcome'],
    [{ id: undefined }, 'deals[1].id'],
    [{ id: '' }, 'deals[1].id'],
    [{ id: 7 }, 'deals[1].id'],
    [{ currency: 'eur' }, 'deals[1].currency'],
    [{ close_date: '2026-02-30' }, 'deals[1].close_date'],
    [{ last_activity_at: 'yesterday' }, 'deals[1].last_activity_at'],
    [{ title: 'a\0b' }, 'deals[1].title'],
    [{ title: '\uD800' }, 'deals[1].title'],
  ])('with a deal that has %j is refused, and the reason names the place', (flaw, place) => {
    const reason = reasonOf({ deals: [aDeal, { ...aDeal, ...flaw }] });
    expect(reason.startsWith(`${place}: `)).toBe(true);
  });

  it.each(['id', 'deal_id', 'category', 'text', 'lang'])('needs the %s of an objection', (member) => {
    const reason = reasonOf({ deals: [], objections: [anObjection, { ...anObjection, [member]: null }] });
    expect(reason).toBe(`objections[1].${member}: It must be a text.`);
  });

  it.each([
    [{}, 'deals: It must be a list.'],
    [{ deals: {} }, 'deals: It must be a list.'],
    [{ deals: [], objections: 1 }, 'objections: It must be a list.'],
    [{ deals: [], next_cursor: 5 }, 'next_cursor: It must be a text or null.'],
    [{ deals: [], next_cursor: '' }, 'next_cursor: It must not be empty.'],
    [{ deals: [], next_cursor: '\0'.repeat(1_001) }, 'next_cursor: It must have at most 1000 characters.'],
    [{ deals: [], next_cursor: 'x'.repeat(1_001) }, 'next_cursor: It must have at most 1000 characters.'],
    [[], 'The feed’s answer must be an object with a list of deals.'],
    ['x', 'The feed’s answer must be an object with a list of deals.'],
  ])('%j is refused: %s', (page, reason) => {
    expect(reasonOf(page)).toBe(reason);
  });
});
