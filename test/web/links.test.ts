import { beforeEach, describe, expect, it } from 'vitest';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import {
  actorName,
  actorPage,
  entryKey,
  entryOfKey,
  targetName,
  targetPage,
} from '../../src/web/pages/audit/entry-links.ts';
import { requestsTo, routeName } from '../../src/web/pages/keys/route-use.ts';
import * as ofMember from '../../src/web/pages/members/links.ts';
import { bySubject, matterWords, type Matter } from '../../src/web/pages/overview/matters.ts';
import { routeText, routeWords, similarTo } from '../../src/web/pages/requests/request-words.ts';
import { pageOf } from '../../src/web/search/found-pages.ts';

// Where the pages lead to.

beforeEach(() => setCurrentLanguage('en'));

const at = '2026-11-20T10:00:00Z';

describe('the search', () => {
  const found = { id: 'ID', name: 'Mia', detail: null, endpoint_id: 'ENDPOINT' };
  it.each([
    ['member', '/members/ID'],
    ['key', '/keys/ID'],
    ['endpoint', '/webhooks/ID'],
    ['delivery', '/webhooks/ENDPOINT/deliveries/ID'],
    ['event', '/webhooks/events/ID'],
    ['request', '/requests/ID'],
    ['training', '/trainings/ID'],
    ['assignment', '/assignments?assignment_id=ID'],
    ['case', '/cases?case_id=ID'],
  ] as const)('leads from a found %s to %s', (kind, page) => {
    expect(pageOf({ ...found, kind })).toBe(page);
  });

  it('leads to a private case among the private ones', () => {
    expect(pageOf({ ...found, kind: 'case', detail: 'private' })).toBe('/cases?view=mine&case_id=ID');
  });
});

describe('an entry of the audit log', () => {
  type Entry = Parameters<typeof targetPage>[0];
  const entry = (type: Entry['target']['type'], more: Partial<Entry> & { name?: string | null } = {}): Entry => {
    const { name = 'Name', ...rest } = more;
    return { action: 'member.invited', data: {}, target: { type, id: 'ID', name }, ...rest };
  };

  it.each([
    ['member', '/members?search=Name', undefined],
    ['key', '/keys/ID', undefined],
    ['team', '/settings', '/settings'],
    ['assignment', '/assignments?assignment_id=ID', undefined],
    ['case', '/cases?case_id=ID', undefined],
    ['training', '/trainings/ID', '/trainings/ID'],
    ['catalog_item', '/catalog', undefined],
    ['webhook_endpoint', '/webhooks/ID', undefined],
    ['webhook_event', '/webhooks/events/ID', '/webhooks/events/ID'],
    ['crm_connection', '/crm/ID', undefined],
  ] as const)('about a %s leads to %s, and to %s once it has no name', (type, page, nameless) => {
    expect(targetPage(entry(type), true)).toBe(page);
    expect(targetPage(entry(type, { name: null }), true)).toBe(nameless);
  });

  it('leads to nothing of individual people while these are hidden', () => {
    const types = ['assignment', 'case', 'training', 'member', 'key'] as const;
    expect(types.map((type) => targetPage(entry(type), false))).toEqual([
      undefined,
      undefined,
      undefined,
      '/members?search=Name',
      '/keys/ID',
    ]);
  });

  it('leads to a delivery only with its endpoint, and from a policy to that of the team or the member', () => {
    expect(targetPage(entry('webhook_delivery'), true)).toBeUndefined();
    expect(targetPage(entry('webhook_delivery', { data: { endpoint_id: 'E' } }), true)).toBe(
      '/webhooks/E/deliveries/ID',
    );
    expect(targetPage(entry('team', { action: 'policy.team_changed' }), true)).toBe('/catalog');
    expect(targetPage(entry('member', { action: 'policy.member_changed' }), true)).toBe('/catalog?member=ID');
    expect(targetPage({ ...entry('team'), target: { type: 'team', id: null, name: 'Name' } }, true)).toBeUndefined();
    expect(targetPage(entry('member', { name: 'Mia & Jo' }), true)).toBe('/members?search=Mia%20%26%20Jo');
  });

  it.each([
    ['person', 'Mia', '/members?search=Mia', 'Mia', 'Mia'],
    ['person', null, undefined, 'Mitglied des Teams', 'Team member'],
    ['key', 'CRM', '/keys/ACTOR', 'Schlüssel „CRM“', 'Key “CRM”'],
    ['key', null, '/keys/ACTOR', 'API-Schlüssel', 'API key'],
    ['service', null, undefined, 'Automatisch', 'Automatic'],
    ['operator', null, undefined, 'Betreiber der Plattform', 'Platform operator'],
  ] as const)('by a %s with the name %s leads to %s, and says %s, %s', (kind, name, page, de, en) => {
    const by = { actor: { kind, id: 'ACTOR', name } };
    expect(actorPage(by)).toBe(page);
    expect(actorName(by)).toBe(en);
    setCurrentLanguage('de');
    expect(actorName(by)).toBe(de);
    expect(actorPage({ actor: { kind: 'key', id: null, name: 'CRM' } })).toBeUndefined();
  });

  it('is found by its key among the entries of its millisecond', () => {
    const created_at = '2026-11-20T09:59:59.999Z';
    expect(entryOfKey(entryKey({ id: 'ID', created_at }))).toEqual({
      id: 'ID',
      since: created_at,
      until: '2026-11-20T10:00:00.000Z',
    });
    for (const key of ['', 'ID', 'ID 2026-11-20T09:59:59.999Z']) expect(entryOfKey(key), key).toBeUndefined();
  });

  it('calls a connection without a name of its own by its CRM', () => {
    expect(targetName({ type: 'crm_connection', id: 'ID', name: 'hubspot' })).toBe('HubSpot');
    expect(targetName({ type: 'crm_connection', id: 'ID', name: 'Sales' })).toBe('Sales');
    expect(targetName({ type: 'member', id: 'ID', name: 'feed' })).toBe('feed');
    expect(targetName({ type: 'crm_connection', id: 'ID', name: null })).toBeNull();
  });
});

describe('what needs attention', () => {
  const endpoint = { endpoint_id: 'E', url: 'https://hooks.example.com/', failing_since: at };
  const connection = { connection_id: 'C', provider: 'hubspot', label: null, failed_at: null };
  type Words = ReturnType<typeof matterWords>;
  const rows: [Matter, Words['to'], name: string, tone: string, state: string, action?: string][] = [
    [
      { kind: 'key_reported', key_id: 'K', name: 'CRM', reported_at: at },
      '/keys/K',
      'CRM',
      'bad',
      'Reported as found',
      'Replace',
    ],
    [{ kind: 'endpoint_paused', ...endpoint }, '/webhooks/E', endpoint.url, 'bad', 'Paused'],
    [{ kind: 'endpoint_failing', ...endpoint }, '/webhooks/E', endpoint.url, 'bad', 'Failing'],
    [{ kind: 'crm_refused', ...connection }, '/crm/C', 'HubSpot', 'bad', 'Credentials rejected'],
    [{ kind: 'crm_failing', ...connection, label: 'Sales' }, '/crm/C', 'Sales', 'warn', 'Sync failed'],
    [
      { kind: 'key_expiring', key_id: 'K', name: 'CRM', expires_at: at },
      '/keys/K',
      'CRM',
      'warn',
      'Expires',
      'Replace',
    ],
    [
      { kind: 'requests', answer: 'failed', count: 1, requests: 4 },
      '/requests?status=5xx',
      'API errors (5xx)',
      'bad',
      '25%',
    ],
    [
      { kind: 'requests', answer: 'limited', count: 1, requests: 4 },
      '/requests?status=429',
      'Rate limited (429)',
      'warn',
      '25%',
    ],
    [
      { kind: 'requests', answer: 'refused', count: 1, requests: 4 },
      '/requests?status=4xx',
      'Rejected requests (4xx)',
      'warn',
      '25%',
    ],
    [{ kind: 'mails_failed', count: 2 }, '/settings/limits', '2 undelivered emails', 'warn', 'Failed'],
    [
      { kind: 'invitations_expired', count: 2 },
      '/members?status=invited',
      '2 expired invitations',
      'warn',
      'Expired',
      'Resend',
    ],
    [
      { kind: 'invitations_ending', count: 2 },
      '/members?status=invited',
      '2 invitations expire soon',
      'warn',
      'Expires',
      'Resend',
    ],
    [
      { kind: 'assignments_overdue', count: 2 },
      '/assignments?overdue=true',
      '2 overdue assignments',
      'bad',
      'Overdue',
      'Remind',
    ],
    [{ kind: 'seats_full' }, '/members', 'All seats are taken', 'warn', 'Full'],
  ];

  it.each(rows)('leads from %j to %s', (matter, to, name, tone, state, action = 'View') => {
    expect(matterWords(matter, true)).toEqual({ to, name, tone, state, action });
    // The list of assignments is closed while member-level data is hidden, and no other one is.
    expect(matterWords(matter, false).to).toBe(matter.kind === 'assignments_overdue' ? null : to);
    setCurrentLanguage('de');
    const german = matterWords(matter, true);
    expect([german.to, german.tone]).toEqual([to, tone]);
    if (!state.endsWith('%')) expect(german.state).not.toBe(state);
    expect(german.action).not.toBe(action);
  });

  it('has that of people first, and keeps the order of each', () => {
    const kinds = (some: readonly Matter[]) => some.map(({ kind }) => kind);
    const overdue = { kind: 'assignments_overdue', count: 1 } as const;
    const full = { kind: 'seats_full' } as const;
    const mails = { kind: 'mails_failed', count: 1 } as const;
    const { ofPeople, ofPrograms } = bySubject([mails, overdue, full]);
    expect([kinds(ofPeople), kinds(ofPrograms)]).toEqual([['assignments_overdue'], ['mails_failed', 'seats_full']]);
  });
});

describe('requests', () => {
  it('with a key to one route are those with this method, or to no route', () => {
    const get = { method: 'GET', route: '/users/{member_id}' };
    expect(requestsTo('K', get)).toBe('/requests?key=K&method=GET&route=%2Fusers%2F%7Bmember_id%7D');
    expect(requestsTo('K', { ...get, route: null })).toBe('/requests?key=K&method=GET');
    expect([routeName(get), routeName({ ...get, route: null })]).toEqual([
      'GET /users/{member_id}',
      'Unknown paths (GET)',
    ]);
    setCurrentLanguage('de');
    expect(routeName({ ...get, route: null })).toBe('Unbekannte Pfade (GET)');
  });

  it.each([
    ['/me', 1, 'GET /me', 'GET /me'],
    ['/me', 7, 'GET /me', 'GET /me'],
    [null, 1, 'GET (unbekannter Pfad)', 'GET (unknown path)'],
    [null, 2, 'GET (mehrere Pfade)', 'GET (several paths)'],
  ])('to the route %s, of which an entry counts %i, are called %s and %s', (route, count, de, en) => {
    for (const [language, text] of [
      ['de', de],
      ['en', en],
    ] as const) {
      setCurrentLanguage(language);
      expect(routeText({ method: 'GET', route, count }, routeWords())).toBe(text);
    }
  });

  const request = {
    request_id: 'R',
    method: 'GET',
    route: '/me',
    count: 1,
    code: 'not_found',
    key: { id: 'K' },
  } as const;
  const [self, key] = [
    ['Only this request', '/requests?request_id=R'],
    ['All with this key', '/requests?key=K'],
  ] as const;
  const [route, code] = [
    ['All of this route', '/requests?route=%2Fme&method=GET'],
    ['All with this error', '/requests?code=not_found'],
  ] as const;
  it.each([
    [{}, [self, key, route, code]],
    [{ route: null }, [self, key, code]],
    [{ code: null }, [self, key, route]],
    [{ count: 2, route: null, code: null }, [['Only this entry', '/requests?request_id=R'], key]],
  ] as const)('like one with %j are %j', (changed, links) => {
    expect(similarTo({ ...request, ...changed })).toEqual(links);
  });
});

it('what belongs to a member is found by their id, and what they made by that of the user', () => {
  expect({
    assignments: ofMember.assignmentsOf('MEMBER'),
    unfinished: ofMember.unfinishedOf('MEMBER'),
    overdue: ofMember.overdueOf('MEMBER'),
    policy: ofMember.policyOf('MEMBER'),
    about: ofMember.entriesAbout('MEMBER'),
    by: ofMember.entriesBy('USER'),
    trainings: ofMember.trainingsOf('USER'),
    cases: ofMember.casesOf('USER'),
  }).toEqual({
    assignments: '/assignments?member=MEMBER',
    unfinished: '/assignments?member=MEMBER&status=unfinished',
    overdue: '/assignments?member=MEMBER&overdue=true',
    policy: '/catalog?member=MEMBER',
    about: '/audit?target_type=member&target_id=MEMBER',
    by: '/audit?actor_id=USER',
    trainings: '/trainings?user_id=USER',
    cases: '/cases?user_id=USER',
  });
});
