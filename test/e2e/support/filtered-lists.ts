// The lists of the app with all their filters: how the address has them, and how the procedures get them.

/** Ids of things that a team has. */
export type Ids = Readonly<
  Record<'member' | 'user' | 'assignment' | 'situation' | 'key' | 'endpoint' | 'connection' | 'request', string>
>;

type Values = Readonly<Record<string, string>>;

export interface FilteredList {
  /** The folder in src/web/pages. */
  of: string;
  path: string;
  /** The member's own list; the others are the owner's. */
  isOwn?: true;
  /** The filters that have the same name and value in the address and for the procedures. */
  same: Values;
  /** The others in the address. */
  address?: Values;
  /** The same for the procedures. */
  input?: Readonly<Record<string, unknown>>;
  /** Whether the list can be of a range of days. */
  ofDays?: true;
  /** The procedure of the list, with which its CSV file is read, too; and the one that counts its rows. */
  list: string;
  count?: string;
  /** An order by a column by which the server sorts. */
  sort?: string;
}

/** Days of Berlin, between which the clocks change. */
const march = { range: 'own', from: '2026-03-01', to: '2026-03-31' };
const timesOfMarch = { since: '2026-02-28T23:00:00.000Z', until: '2026-03-31T22:00:00.000Z' };

/** All filters of a list: in the address, and for the procedures. */
export const filtersOf = ({ same, address, input, ofDays }: FilteredList) => ({
  address: { ...same, ...address, ...(ofDays && march) },
  input: { ...same, ...input, ...(ofDays && timesOfMarch) },
});

export const filteredLists: Readonly<Record<string, (ids: Ids) => FilteredList>> = {
  members: () => ({
    of: 'members',
    path: '/members',
    same: { search: 'mia', role: 'admin', status: 'active', without: 'company' },
    address: { directory: 'unknown', inactive: 'true' },
    input: { from_directory: false, inactive: true },
    list: 'app/members.list',
    count: 'app/members.count',
    sort: '-role',
  }),
  'audit log': ({ user, member }) => ({
    of: 'audit',
    path: '/audit',
    same: {
      action: 'member.joined',
      actor_kind: 'person',
      actor_id: user,
      target_type: 'member',
      target_id: member,
    },
    ofDays: true,
    list: 'app/audit.list',
    count: 'app/audit.count',
  }),
  requests: ({ key }) => ({
    of: 'requests',
    path: '/requests',
    same: { status: '4xx', code: 'not_found', method: 'POST', route: '/assignments' },
    address: { key },
    input: { key_id: key },
    ofDays: true,
    list: 'app/requests.list',
  }),
  'requests of one id': ({ request }) => ({
    of: 'requests',
    path: '/requests',
    same: { request_id: request },
    list: 'app/requests.list',
  }),
  deliveries: ({ endpoint }) => ({
    of: 'webhooks',
    path: `/webhooks/${endpoint}`,
    same: { status: 'gave_up', event_type: 'member.joined' },
    input: { endpoint_id: endpoint },
    ofDays: true,
    list: 'app/webhookHistory.deliveries',
    count: 'app/webhookHistory.countDeliveries',
  }),
  deals: ({ connection }) => ({
    of: 'crm',
    path: '/crm?view=deals',
    same: { search: 'hall', outcome: 'won' },
    address: { connection },
    input: { connection_id: connection },
    ofDays: true,
    list: 'app/crm.deals',
    count: 'app/crm.countDeals',
    sort: 'amount',
  }),
  trainings: ({ user, assignment, situation }) => ({
    of: 'trainings',
    path: '/trainings',
    same: { user_id: user, status: 'scored', assignment_id: assignment },
    address: { situation, score: 'middle' },
    input: { situation_id: situation, min_score: 60, max_score: 79 },
    ofDays: true,
    list: 'app/sessions.list',
    count: 'app/sessions.count',
    sort: '-score',
  }),
  'own trainings': ({ situation }) => ({
    of: 'trainings',
    path: '/trainings',
    isOwn: true,
    same: { status: 'scored' },
    address: { situation, score: 'high' },
    input: { situation_id: situation, min_score: 80 },
    ofDays: true,
    list: 'app/myTrainings.list',
    count: 'app/myTrainings.count',
    sort: 'score',
  }),
  assignments: ({ member }) => ({
    of: 'assignments',
    path: '/assignments',
    same: { search: 'preis', status: 'unfinished', due_before: '2026-04-01' },
    address: { member, overdue: 'true' },
    input: { member_id: member, overdue: true },
    ofDays: true,
    list: 'app/assigning.list',
    count: 'app/assigning.count',
    sort: '-due',
  }),
  'own assignments': () => ({
    of: 'assignments',
    path: '/assignments',
    isOwn: true,
    same: { search: 'preis', status: 'done', due_before: '2026-04-01' },
    ofDays: true,
    list: 'app/assigning.mine',
    sort: 'due',
  }),
  cases: ({ user }) => ({
    of: 'cases',
    path: '/cases',
    same: { user_id: user },
    list: 'api/cases.list',
    count: 'app/teamCases.count',
  }),
  keys: () => ({
    of: 'keys',
    path: '/keys',
    same: { search: 'crm' },
    list: 'app/keys.list',
  }),
};
