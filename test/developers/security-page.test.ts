import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/config.ts';
import { languages } from '../../src/core/language.ts';
import { startTestService, useTestService } from '../support/service.ts';

// What holds each statement of the page for customers' security teams. A statement without a proof fails here.

interface Proof {
  /** By file, the names of the tests in it. */
  tests?: Readonly<Record<string, readonly string[]>>;
  settings?: readonly (keyof typeof settings.shape)[];
  /** By file, headings or other texts in it. */
  files?: Readonly<Record<string, readonly string[]>>;
  /** What the operator decides alone. */
  operator?: true;
}

const proofs: Readonly<Record<string, Proof>> = {
  // Encryption
  'Your requests': {
    tests: {
      'proxy/shipped-configurations.slow': ['offers HTTP/2, and refuses old versions of TLS'],
      'sign-ins/wire': ['%s can’t be framed and runs no foreign script'],
      'contract/matrix': ['succeeds with exactly its scopes, and shows the four headers of every answer'],
    },
    files: { 'test/rest/api-headers.ts': ['strict-transport-security'] },
  },
  'Requests to your servers': {
    tests: {
      'egress/targets': ['%s is refused, and nothing is sent: %j'],
      'egress/failures.slow': ['when no known authority signed the certificate'],
    },
  },
  'Secrets that the service needs again': {
    tests: {
      'core/crypto': ['opens nothing after a single bit was changed', 'opens nothing with another purpose or context'],
      'operations/rotate': ['values that no configured secret opens are reported and kept'],
      'webhooks/reseal': ['all endpoint secrets are sealed again, each once by any number of processes, and then none'],
      'webhooks/team-headers.slow': ['are answered with their names only, and stored encrypted'],
      'sign-ins/company-demand': ['never shows the secret, and stores it encrypted'],
      'sign-ins/second-factor': ['keeps secret and codes encrypted'],
      'worker/mail.slow': ['they are encrypted, because a link admits its bearer'],
      'idempotency/replay': [
        'stored answers are encrypted: neither the answer nor the body can be read in the database',
      ],
    },
    settings: ['APP_SECRET'],
    files: { 'src/core/crypto.ts': ["createCipheriv('aes-256-gcm'"] },
  },
  'Secrets that are only compared': {
    tests: {
      'core/password': ['costs 19 MiB and two passes in production'],
      'keys/lifecycle': ['shows the key once and stores only its prefix and a hash'],
      'worker/mail.slow': ['is mailed in %s, with a link that is only in the mail'],
      'mcp/oauth': ['is stored only as a hash'],
    },
  },
  APP_SECRET: {
    tests: {
      'operations/rotate': [
        'secrets are rotated under traffic, in steps, with the number of values that still need the former one',
      ],
    },
    files: { 'docs/operations.md': ['## Rotate APP_SECRET'] },
  },
  'All other data': { operator: true, files: { 'docs/operations.md': ['sslmode=verify-full'] } },

  // Signatures
  Webhooks: { tests: { 'webhooks/verifier': ['accepts everything that the service signs, and returns the content'] } },
  'Cursors, reset links and session cookies': {
    tests: {
      'core/cursor': ['is not valid after any change', 'is not valid if it was invented'],
      'sign-ins/own-account': ['can’t be invented or changed into another one'],
      'sign-ins/sign-in': ['is worthless if it is invented, changed or signed with another secret'],
    },
  },

  // Who gets in
  Passwords: {
    tests: {
      'sign-ins/own-account': ['requires the present one, and the minimum length'],
      'sign-ins/known-browsers': ['has its own limited tries, also for a thief of its cookie'],
      'sign-ins/sign-in': ['gives the same answer to a wrong password, an unknown address and a person without a team'],
    },
    settings: ['SIGN_IN_RATE_PER_MIN'],
  },
  'Two-factor authentication': {
    tests: {
      'sign-ins/second-factor': ['shows nothing before the second step', 'accepts each backup code once'],
      'sign-ins/passkeys': ['is refused from another origin, for another site, and without verification of the person'],
    },
  },
  Directory: {
    tests: {
      'scim/users': [
        'is what DELETE /users/{member_id} does, once; by PUT and DELETE too',
        'that is not understood is refused, never answered with success',
      ],
    },
  },
  'Company account': {
    tests: {
      'sign-ins/company-account': [
        'makes the person a member with the role that the team has set, and a second one finds them again',
      ],
      'sign-ins/company-demand': [
        'stops other sessions at their next request, and opens to no password or passkey, except for the owner',
        'opens to a second factor, a passkey and the company account, and to no password alone',
      ],
    },
  },
  'Dangerous changes': {
    tests: { 'contract/app-matrix': ['require a fresh proof if the table says so, and no one else is asked for it'] },
  },
  Sessions: {
    tests: {
      'sign-ins/own-account': [
        'last thirty days from their last use, and are then deleted',
        'are listed with browser and address, the present one marked, and no session of another person',
        'end one by one; another person’s is not found',
      ],
      'sign-ins/company-account': ['ends after a day, when the provider is switched off, and when it is deleted'],
      'sign-ins/membership': ['ends at once when its person is removed from their only team'],
      'sign-ins/sign-in': ['is inaccessible to scripts and other sites'],
    },
  },
  Roles: {
    tests: {
      'contract/access': ['every procedure of the app has a row, and its metadata says the same'],
      'contract/app-matrix': ['and operations admit or refuse %s as the table says'],
    },
  },
  'API keys': {
    tests: {
      'contract/matrix': ['succeeds with exactly its scopes, and shows the four headers of every answer'],
      'limits/addresses': ['include those with a revoked key, and those from an address that the key does not allow'],
    },
  },
  'Leaked keys': {
    tests: {
      'docs/found-keys': ['find-keys.mjs finds keys, and no text that only looks like one'],
      'keys/reports': [
        'of an active key warns its team; that of any other key gets the same answer, not earlier; what is no complete key is refused',
        'is limited like signing in: for each network, and for all together',
      ],
    },
    settings: ['SIGN_IN_RATE_PER_MIN'],
  },
  Assistants: {
    tests: {
      'mcp/oauth': [
        'are those of its person: a member without rights sees nothing of others',
        'are valid in one team: ids of another one, even of the same person, find nothing',
      ],
    },
  },
  'The operator’s staff': { operator: true },

  // Walls between teams
  'Each database statement': {
    tests: {
      'db/tenants': ['has a condition on one team for each table of teams, except for those listed with a reason'],
    },
    files: { 'vitest.config.ts': ['test/support/tenant-in-statements.ts'] },
  },
  'Row level security': {
    tests: {
      'db/row-security': [
        'has a policy on every table with data of a team',
        'shows a statement that forgets its team only the rows of the team of the request',
      ],
    },
    settings: ['ROW_SECURITY'],
  },
  'Ids of another team': {
    tests: {
      'contract/matrix': [
        'answers 404 not_found to ids of another team, unknown ones and other texts alike, and changes nothing of it, even if no statement names its team',
      ],
    },
  },

  // Requests to other servers
  'Only public addresses': {
    tests: {
      'egress/addresses': ['if it is in a special-purpose range of IPv4, in any notation'],
      'egress/names.slow': [
        'from public to private after vetting is refused at the very next attempt',
        'between the check and the connection does not redirect the connection',
      ],
    },
  },
  Redirects: { tests: { 'egress/answers': ['answered with %i follows no redirect'] } },
  'The service connects': {
    tests: {
      'developers/security-page': ['opens connections to other servers in these files alone'],
      'sign-ins/wire': ['%s can’t be framed and runs no foreign script'],
    },
    settings: ['DATABASE_URL', 'WEBHOOK_DNS_SERVERS', 'MAIL_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  },

  // Logs
  'The audit log': {
    tests: {
      'audit/audit': ['shows who did what to what, newest first, with their present names'],
      'contract/people': ['can make every change that the API can, and the audit log names them for each'],
      'audit/retention': [
        'an audit log loses entries beyond its newest ones, but none of the last 30 days; a short one loses nothing',
      ],
    },
  },
  'Sign-ins that fail': {
    tests: {
      'sign-ins/traces': [
        'is in the audit log of each of the person’s teams, once an hour, however long the attack lasts',
      ],
    },
  },
  'The request log': {
    tests: {
      'requests/log': [
        'has every request with a valid key: details, outcome, duration and key',
        'shows one request with its path, query, caller and problem, but no key; less of it while member-level data is hidden',
        'have no secret in the path, the agent or the problem',
      ],
    },
  },
  'The operator’s log': {
    tests: {
      'rest/logging': [
        'has one line for each request: caller, request, outcome and duration',
        'never contains a secret, for any request and outcome',
      ],
    },
    operator: true,
  },

  // How long data is kept
  'What a directory said of a person': {
    tests: {
      'scim/users': [
        'of somebody who is deactivated is no error; after DELETE they are not found',
        'an erased person is not found, and POST makes somebody new',
      ],
    },
  },
  'Events, deliveries, the request log, mails and ids of deleted rows': {
    tests: {
      'operations/retention': [
        'is deleted by the retention of a worker, with its waiting rows; younger data stays',
        'the request log is deleted by whole days',
        'mails are deleted after the number of days in the configuration',
      ],
      'changes/deletions': ['forgets deletions after the days for which history is kept'],
    },
    settings: ['RETENTION_DAYS'],
  },
  'Sums by day': {
    tests: { 'operations/retention': ['the sums of $what are kept for 90 days, or longer if more is kept'] },
  },
  'Answers kept for an Idempotency-Key': {
    tests: { 'idempotency/replay': ['can be used again after exactly 24 hours, swept or not'] },
  },
  'The team’s data': {
    tests: {
      'teams/deletion.slow': [
        'is deleted after TEAM_DELETION_DAYS, and not before',
        'leaves nothing of the team, and everything of another one',
      ],
    },
    settings: ['TEAM_DELETION_DAYS'],
  },
  Export: {
    tests: { 'export/export': ['has every row of the team’s tables', 'contains no secret of any kind'] },
    files: { 'docs/export.md': ['## Export'] },
  },
  Erasure: {
    tests: {
      'erasure/erased-person.slow': [
        'is named nowhere in the database: neither by name nor by address nor by an id',
        'leaves the facts: events, deliveries, attempts and the audit log keep their rows, with a placeholder',
      ],
    },
    files: { 'docs/export.md': ['## Erasure of a person'] },
  },
  Backups: {
    operator: true,
    tests: {
      'operations/restore.slow': [
        'of the data folder, restored elsewhere, gives the same answers to every GET of the demo teams',
      ],
    },
    files: { 'docs/operations.md': ['## Back up and restore'] },
  },

  // Dependencies
  Pinned: { tests: { 'operations/lockfile': ['package-lock.json has a hash for every package of every platform'] } },
  Updates: { operator: true, files: { 'SECURITY.md': ['2 working days', '14 days'] } },
  'Bill of materials (SBOM)': {
    tests: {
      'operations/delivered-packages.slow': [
        'are those of production in package-lock.json and those in the app, each once, and no others',
      ],
      'deploy/image.slow': ['has a list of exactly its packages and those in its app (SBOM)'],
      'sandbox/from-the-package.slow': [
        'the package has the code that runs, and no sources, tests, settings or secrets',
      ],
    },
  },
  Licenses: {
    tests: {
      'operations/delivered-packages.slow': [
        'are those of production in package-lock.json and those in the app, each once, and no others',
        '%s is refused with the name of the package',
      ],
    },
  },
};

const pageIn = (language: string): string =>
  readFileSync(`src/server/developers/pages/${language}/security.md`, 'utf8');

/** The beginnings of the statements, which are all bold; code in them has its marks taken off. */
const statementsIn = (page: string): string[] =>
  [...page.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, start = '']) => start.replaceAll('`', ''));

const [german, english] = languages.map(pageIn).map((page) => ({ page, statements: statementsIn(page) }));

describe('the page on security', () => {
  it('has a proof for each statement, and a statement for each proof', () => {
    const statements = english?.statements ?? [];
    expect(statements.length).toBeGreaterThan(30);
    expect(statements.filter((one) => proofs[one] === undefined)).toEqual([]);
    expect(Object.keys(proofs).filter((one) => !statements.includes(one))).toEqual([]);
    expect(german?.statements.length).toBe(statements.length);
    for (const { page } of [german, english].flatMap((one) => one ?? []))
      expect(page.match(/^- (?!\*\*)/gm), 'a statement without a bold beginning').toBeNull();
  });

  it.each(Object.entries(proofs))('%s: what it names is there', (_statement, proof) => {
    expect([proof.tests, proof.settings, proof.files, proof.operator].some(Boolean)).toBe(true);
    for (const [file, names] of Object.entries(proof.tests ?? {})) {
      const text = readFileSync(`test/${file}.test.ts`, 'utf8');
      for (const name of names) expect(text.includes(`'${name}'`), `${file}: ${name}`).toBe(true);
    }
    for (const name of proof.settings ?? []) expect(settings.shape).toHaveProperty(name);
    for (const [file, texts] of Object.entries(proof.files ?? {}))
      for (const text of texts) expect(readFileSync(file, 'utf8').includes(text), `${file}: ${text}`).toBe(true);
  });

  it('says of each statement that the operator decides that it does', () => {
    const lines = (english?.page ?? '').split('\n');
    for (const [statement, { operator }] of Object.entries(proofs).filter(([, proof]) => proof.operator)) {
      const line = lines.find((one) => one.replaceAll('`', '').startsWith(`- **${statement}**`)) ?? '';
      expect([statement, operator, line.includes('operator decides')]).toEqual([statement, true, true]);
    }
  });

  it.each(languages)('answers each question in %s with a link', (language) => {
    const rows = pageIn(language).match(/^\| .* \|$/gm) ?? [];
    const [, , ...questions] = rows;
    expect(questions.length).toBe(12);
    expect(questions.filter((row) => !/\]\((?:#|[\w-]+\.md)/.test(row.split('|').at(-2) ?? ''))).toEqual([]);
  });
});

describe('the service', () => {
  /** What opens connections: HTTP, TCP, DNS, mail, traces and the database. */
  const opens =
    /(?:import (?!type )[^;]*(?:'undici'|'nodemailer'|'@opentelemetry\/exporter[^']*'|'pg'|'node:dns[^']*'|'node:(?:http2?|https|net|tls|dgram)'))|(?<![.\w])fetch\(/;
  const onlyServes = /import (?!type )\{[^}]*createServer[^}]*\} from 'node:(?:http|net)'/;

  /** Where they are opened, or where a module is used for something else. */
  const known = {
    'src/core/address.ts': 'nothing: it reads addresses',
    'src/db': 'PostgreSQL',
    'src/egress': 'webhooks, CRMs, company accounts and documents of assistants, and the look-up of their names',
    'src/modules/requests/store.ts': 'nothing: it reads errors of PostgreSQL',
    'src/platform/telemetry/otlp-traces.ts': 'the collector of traces',
    'src/server/http/refusal.ts': 'nothing: it reads the texts of statuses',
    'src/worker/queue-runner.ts': 'PostgreSQL',
    'src/worker/send-mail.ts': 'the mail server',
  };

  it('opens connections to other servers in these files alone', () => {
    const folders = globSync('src/**/*.ts')
      .filter((file) => !/^src\/(web|packages|server\/developers\/examples|db\/generated)\//.test(file))
      .filter((file) => opens.test(readFileSync(file, 'utf8')) && !onlyServes.test(readFileSync(file, 'utf8')))
      .map((file) => file.replace(/^(src\/(?:db|egress))\/.*$/, '$1'));
    expect([...new Set(folders)].toSorted()).toEqual(Object.keys(known));
  });
});

describe('where to report a vulnerability', () => {
  const pagesOf = (origin: string) =>
    Promise.all(languages.map(async (one) => (await fetch(`${origin}/developers/${one}/security.md`)).text()));

  it('are the contacts of the operator, if there are any', async () => {
    const own = await startTestService({
      environment: { SECURITY_CONTACT: 'https://example.com/report,mailto:security@example.com' },
    });
    onTestFinished(() => own.close());
    for (const page of await pagesOf(own.origin)) {
      expect(page).toContain('<https://example.com/report>, <mailto:security@example.com>');
      expect(page).toContain('/.well-known/security.txt');
    }
  });

  it('is the support of the operator otherwise', async () => {
    const { origin } = await useTestService();
    const [de, en] = await pagesOf(origin);
    expect(de).toContain('Support');
    expect(en).toContain('named no address');
  });
});

it('the pages have the numbers that the operator has set, and not the defaults', async () => {
  const own = await startTestService({
    environment: {
      RETENTION_DAYS: '41',
      TEAM_DELETION_DAYS: '43',
      ANON_RATE_PER_MIN: '4700',
      WEBHOOK_ENDPOINT_CONCURRENCY: '7',
    },
  });
  onTestFinished(() => own.close());
  const page = async (path: string) => (await fetch(`${own.origin}/developers/en/${path}.md`)).text();
  const security = await page('security');
  expect(security).toContain('mails and ids of deleted rows**: 41 days.');
  expect(security).toContain('and 43 days after its end.');
  expect(await page('limits')).toMatch(/count for the address that they come from: 4,?700 a minute/);
  expect(await page('webhooks')).toContain('At most 7 requests are sent to an endpoint at the same time.');
});
