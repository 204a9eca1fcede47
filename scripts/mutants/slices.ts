/** Files that `npm run mutants` changes, and the tests that must notice each change. The tests run hundreds of times. */
export interface Slice {
  readonly files: readonly string[];
  readonly tests: readonly string[];
  /** The tests ask a service with a database: such a change takes seconds instead of a moment. */
  readonly hasDatabase?: true;
  /** `forks`: the tests set what only a process has, such as its time zone. */
  readonly pool?: 'forks';
}

const core = (...names: string[]) => names.map((name) => `src/core/${name}.ts`);
const ofModule = (module: string, ...names: string[]) => names.map((name) => `src/modules/${module}/${name}.ts`);
const ofPlatform = (...names: string[]) => names.map((name) => `src/platform/${name}.ts`);
const withDatabase = (files: readonly string[], tests: readonly string[]): Slice => ({
  files,
  tests: tests.map((beginning) => `${beginning}.test.ts`),
  hasDatabase: true,
});
const ofRules = (module: string, files: readonly string[], tests: readonly string[]): Slice =>
  withDatabase(ofModule(module, ...files), tests);
const testOfApp = (name: string) => `test/web/${name}.test.ts`;
const testsOfCore = (...names: string[]) => names.map((name) => `test/core/${name}.test.ts`);

export const slices: Readonly<Record<string, Slice>> = {
  texts: {
    files: core('email-address', 'html', 'ids', 'language', 'name-text', 'spelling'),
    tests: testsOfCore('email-address', 'html', 'ids', 'language', 'name-text', 'spelling'),
  },
  json: {
    files: core('exact-json', 'json', 'storable'),
    tests: [
      ...testsOfCore('json-text', 'raw-json', 'spelling', 'storable'),
      'test/crm/exact-number.test.ts',
      'test/rest/read-json.test.ts',
    ],
  },
  rules: {
    files: core('address', 'changes', 'flaws', 'percent', 'redacted', 'sign-in-demand'),
    tests: testsOfCore('address', 'changes', 'flaws', 'percent', 'redacted', 'sign-in-demand'),
  },
  time: { files: core('clock'), tests: testsOfCore('instant') },
  queues: {
    files: core('batch', 'fair-semaphore', 'ttl-map'),
    tests: testsOfCore('batch', 'fair-semaphore', 'window-counter'),
  },
  secrets: { files: core('crypto', 'password'), tests: testsOfCore('crypto', 'password') },
  egress: {
    files: ['src/egress/guard.ts', 'src/egress/targets.ts'],
    tests: ['test/egress/addresses.test.ts', 'test/egress/targets.test.ts'],
  },
  crm: {
    files: ['answer', 'feed', 'objections'].map((name) => `src/modules/crm/providers/${name}.ts`),
    tests: ['crm/exact-number', 'crm/feed-form', 'crm/providers/forms'].map((name) => `test/${name}.test.ts`),
  },
  charts: {
    files: ['src/web/kit/charts/periods.ts', 'src/web/kit/charts/scale.ts'],
    tests: ['test/web/charts.test.ts'],
    pool: 'forks',
  },
  lists: {
    files: [
      ...['csv', 'date-range', 'list-rules'].map((name) => `src/web/kit/list/${name}.ts`),
      'src/web/kit/text/relative-time.ts',
      'src/web/search/match.ts',
      'src/web/search/search-text.ts',
    ],
    tests: ['csv', 'date-range', 'list-rules', 'match', 'relative-time', 'search-text'].map(testOfApp),
  },
  pages: {
    files: [
      'cases/field-rows',
      'crm/amount',
      'entrance/path-within',
      'live/merge-rows',
      'members/invitation-list',
      'requests/curl',
      'webhooks/endpoint-health',
    ].map((name) => `src/web/pages/${name}.ts`),
    tests: ['crm-amount', 'curl', 'endpoint-health', 'field-rows', 'invitation-list', 'merge-rows', 'path-within'].map(
      testOfApp,
    ),
  },
  client: {
    files: ['src/packages/client/*.ts'],
    tests: ['retries', 'stream', 'webhooks'].map((name) => `test/client/${name}.test.ts`),
  },
  // With a service and its database: half a second to some seconds for each change.
  idempotency: ofRules('idempotency', ['service', 'store'], ['test/idempotency/*']),
  keys: ofRules(
    'keys',
    ['admission', 'expiry', 'service', 'store'],
    [
      'test/keys/*',
      ...['addresses', 'budgets', 'gate', 'growth', 'rate-limit'].map((name) => `test/limits/${name}*`),
      'test/me/*',
      'test/members/members*',
      'test/requests/log*',
    ],
  ),
  cases: ofRules(
    'cases',
    ['service', 'store'],
    ['test/cases/*', 'test/storage/*', 'test/changes/deletions*', 'test/changes/updated-since*', 'test/export/*'],
  ),
  events: ofRules(
    'events',
    ['payloads', 'service', 'store'],
    // Not the one of the forwarder: it starts a program with the built client, which Stryker's copy lacks.
    ['test/events/feed*', 'test/events/retention*', 'test/events/waiting*', 'test/webhooks/payloads*'],
  ),
  erasure: ofRules(
    'erasure',
    ['service', 'steps', 'store'],
    ['test/erasure/*', 'test/cli/person*', 'test/telemetry/metrics*'],
  ),
  assignments: ofRules(
    'assignments',
    ['service', 'store', 'progress', 'reminders', 'automatic-reminders'],
    ['test/assignments/*', 'test/members/*', 'test/changes/deletions*', 'test/changes/updated-since*', 'test/export/*'],
  ),
  trainings: ofRules('trainings', ['service', 'store', 'recording', 'listing'], ['test/trainings/*', 'test/export/*']),
  members: ofRules(
    'members',
    ['service', 'store', 'roles', 'acceptance', 'invitations', 'waiting'],
    ['test/members/*', 'test/changes/updated-since*', 'test/export/*'],
  ),
  'sign-ins': ofRules('sign-ins', ['service', 'store', 'tries', 'ways', 'call-limits'], ['test/sign-ins/*']),
  deliveries: withDatabase(
    ['src/deliveries/*.ts'],
    [
      'test/worker/*',
      'test/webhooks/*',
      'test/cli/webhooks*',
      'test/events/waiting*',
      'test/models/schedules*',
      'test/telemetry/metrics*',
      'test/telemetry/receipts*',
    ],
  ),
  // The checks that every call goes through, and the lock of its team.
  access: withDatabase(
    ofPlatform('health', 'jobs', 'team', 'team-row', 'trpc/app-problem', 'trpc/procedures'),
    [
      'contract/access',
      'contract/app-matrix',
      'contract/matrix',
      'contract/one-execution',
      'cases/own-cases',
      'idempotency/*',
      'platform/app-problem',
      'platform/health',
      'rest/every-flaw',
      'rest/health',
      'rest/order-of-checks',
      'rest/queries',
      'teams/*',
      'webhooks/member-detail-off',
      'worker/queue',
    ].map((name) => `test/${name}`),
  ),
  platform: withDatabase(
    ofPlatform(
      'bulk',
      'event-waits',
      'free-form',
      'keyset-list',
      'keyset-statements',
      'large-reads',
      'paging',
      'storage-counter',
      'values',
      'walk-list',
    ),
    [
      'assignments/many',
      'cases/*',
      'changes/updated-since*',
      'crm/listing*',
      'events/waiting*',
      'limits/long-texts*',
      'members/app-list*',
      'platform/*',
      'requests/listing*',
      'rest/cursors*',
      'rest/queries*',
      'trainings/included*',
      'trainings/read*',
      'webhooks/routes-deliveries*',
    ].map((name) => `test/${name}`),
  ),
};
