import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { directUrlOf, publicUrlOf, readConfig, settings, shutdownDelayOf } from '../../src/config.ts';
import { defaultDataDir } from '../../src/db/embedded/home.ts';
import { ConfigError } from '../../src/core/config-error.ts';

const defaultOf = (schema: z.ZodType): string =>
  schema instanceof z.ZodDefault ? `\`${String(schema.def.defaultValue)}\`` : '–';

/** The rows of the settings table, independent of the width of the columns. */
const rowsOf = async (path: string): Promise<string[]> => {
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^\| `[A-Z0-9_]+` .*\|$/gm)].map(([row]) => row.replaceAll(/ +\|/g, ' |'));
};

describe('settings', async () => {
  it('have a row in the operations guide each, with the text of the schema', async () => {
    const expected = Object.entries(settings.shape).map(
      ([name, schema]) => `| \`${name}\` | ${defaultOf(schema)} | ${schema.description ?? ''} |`,
    );
    expect(await rowsOf('docs/operations.md')).toEqual(expected);
  });

  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgresql://127.0.0.1/a',
    APP_SECRET: 'x'.repeat(32),
    PUBLIC_URL: 'https://api.example.com',
  };
  const inProject = await mkdtemp(join(tmpdir(), 'team-customer-api-settings-'));
  await chmod(inProject, 0o755); // root's server uses another account
  afterAll(() => rm(inProject, { recursive: true }));

  /** Defaults that are only words in a description: what the words say, and what the service does. */
  const inWords: Record<string, [words: string, actual: unknown, expected: unknown]> = {
    DATABASE_DIRECT_URL: ['`DATABASE_URL`', directUrlOf(readConfig(production)), production.DATABASE_URL],
    DATA_DIR: ['`.data` in the project', defaultDataDir(inProject), join(inProject, '.data')],
    PUBLIC_URL: ['`http://localhost:PORT`', publicUrlOf(readConfig({ PORT: '4000' })), 'http://localhost:4000'],
    WEBHOOK_DNS_SERVERS: ['those of the system', readConfig({}).WEBHOOK_DNS_SERVERS, undefined],
    WORKER_PORT: ['only on its `METRICS_PORT`', readConfig({ METRICS_PORT: '9000' }).WORKER_PORT, undefined],
    SHUTDOWN_DELAY_SECONDS: [
      '5 in production, else 0',
      [shutdownDelayOf(readConfig(production)), shutdownDelayOf(readConfig({}))],
      [5, 0],
    ],
  };

  it('a delay of 0 seconds, the default outside of production, can also be given', () => {
    const delays = ['0', '1', '3600'].map((given) =>
      shutdownDelayOf(readConfig({ ...production, SHUTDOWN_DELAY_SECONDS: given })),
    );
    expect(delays).toEqual([0, 1, 3_600]);
  });

  it('have the default that their description says in words', () => {
    const words = Object.entries(settings.shape).flatMap(([name, { description = '' }]) => {
      const [, default_] = / by default (.*)$/.exec(description) ?? [];
      return default_ === undefined ? [] : [[name, default_]];
    });
    expect(words.toSorted()).toEqual(
      Object.entries(inWords)
        .map(([name, [text]]) => [name, text])
        .toSorted(),
    );
  });

  it.each(Object.entries(inWords))('%s is by default what the description says', (_name, [, actual, expected]) => {
    expect(actual).toEqual(expected);
  });

  it('that the README names first have the same rows as in the operations guide', async () => {
    const first = await rowsOf('README.md');
    const all = await rowsOf('docs/operations.md');
    expect(first.length).toBeGreaterThan(0);
    expect(first).toEqual(all.filter((row) => first.includes(row)));
  });

  it('names every bad variable at once', () => {
    const read = () => readConfig({ PORT: 'x', DATABASE_URL: 'mysql://a', APP_SECRET: 'short', LOG_LEVEL: 'loud' });
    expect(read).toThrow(ConfigError);
    for (const name of ['PORT', 'DATABASE_URL', 'APP_SECRET', 'LOG_LEVEL']) expect(read).toThrow(name);
  });

  it('have no default for those that production needs', () => {
    const read = () => readConfig({ NODE_ENV: 'production' });
    for (const name of ['DATABASE_URL', 'APP_SECRET', 'PUBLIC_URL'])
      expect(read).toThrow(`${name}: is needed in production`);
  });

  it('has no direct way to a database without a usual one', () => {
    const direct = { DATABASE_DIRECT_URL: 'postgresql://127.0.0.1/a' };
    expect(() => readConfig(direct)).toThrow('DATABASE_DIRECT_URL: needs DATABASE_URL');
    expect(directUrlOf(readConfig({ ...direct, DATABASE_URL: 'postgresql://127.0.0.1/b' }))).toBe(
      direct.DATABASE_DIRECT_URL,
    );
    expect(directUrlOf(readConfig({ DATABASE_URL: 'postgresql://127.0.0.1/b' }))).toBe('postgresql://127.0.0.1/b');
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '0x10'],
    ['DATABASE_DIRECT_URL', 'mysql://a'],
    ['PORT', ' '],
    ['ANON_RATE_PER_MIN', '99999999999'],
    ['SHUTDOWN_SECONDS', '2147484'],
    ['SHUTDOWN_DELAY_SECONDS', '3601'],
    ['SHUTDOWN_DELAY_SECONDS', '-1'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/8, nobody'],
    ['PUBLIC_URL', 'https://api.example.com/path'],
    ['PUBLIC_URL', 'https://user@api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com?q=1'],
    ['PUBLIC_URL', 'ftp://api.example.com'],
    ['WEBHOOK_PROXY_URL', 'http://user:100%@proxy.example:3128'],
    ['WEBHOOK_PROXY_URL', 'proxy.example:3128'],
    ['PUBLIC_URL', 'api.example.com'],
    ['WEBHOOK_SOURCE_ADDRESSES', 'example.com'],
    ['WEBHOOK_SOURCE_ADDRESSES', '203.0.113.7/33'],
    ['WEBHOOK_SOURCE_ADDRESSES', '0.0.0.0/0'],
    ['WEBHOOK_SOURCE_ADDRESSES', ','],
    ['PRACTICE_URL', 'practice.example'],
    ['PRACTICE_URL', 'http://practice.example/'],
    ['PRACTICE_URL', 'javascript:alert(1)//{assignment_id}'],
    ['PRACTICE_URL', 'https://user:secret@practice.example/'],
    ['PRACTICE_URL', 'https://{assignment_id}.example/'],
    ['PRACTICE_URL', 'https://practice.example:{assignment_id}/'],
    ['PRACTICE_URL', 'https://practice.example/{member_id}'],
    ['PRACTICE_URL', 'https://practice.example/{{assignment_id}}'],
    ['SECURITY_CONTACT', 'security@example.com'],
    ['SECURITY_CONTACT', 'mailto:nobody'],
    ['SECURITY_CONTACT', 'mailto:security@example.com?subject=x'],
    ['SECURITY_CONTACT', 'mailto:security@example.com\nPolicy: x'],
    ['SECURITY_CONTACT', 'http://example.com/security'],
    ['SECURITY_CONTACT', 'https://user:secret@example.com/'],
    ['SECURITY_CONTACT', 'javascript:alert(1)'],
    ['SECURITY_CONTACT', 'tel:+49-30-1234'],
    ['SECURITY_CONTACT', 'mailto:security@example.com, nobody'],
    ['SECURITY_CONTACT', ','],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name}: `);
  });

  const secretOf = (characters: number) => 's'.repeat(characters);
  it.each<[name: string, accepted: readonly string[], refused: readonly string[]]>([
    ['METRICS_PORT', ['0', '65535'], ['65536', '-1']],
    ['WORKER_PORT', ['0', '65535'], ['65536', '-1']],
    ['DATABASE_POOL', ['1'], ['0']],
    ['ANON_RATE_PER_MIN', ['1', '2147483647'], ['0', '2147483648']],
    ['SIGN_IN_RATE_PER_MIN', ['1', '2147483647'], ['0', '2147483648']],
    ['MAX_CONNECTIONS', ['1', '1000000'], ['0', '1000001']],
    ['RETENTION_DAYS', ['1', '3650'], ['0', '3651']],
    ['TEAM_DELETION_DAYS', ['1', '3650'], ['0', '3651']],
    ['SHUTDOWN_SECONDS', ['1', '3600'], ['0', '3601']],
    ['SHUTDOWN_DELAY_SECONDS', ['0', '3600'], ['3601']],
    ['WEBHOOK_PAUSE_AFTER_SECONDS', ['1'], ['0']],
    ['WEBHOOK_CONCURRENCY', ['1', '2000'], ['0', '2001']],
    ['WEBHOOK_ENDPOINT_CONCURRENCY', ['1', '2000'], ['0', '2001']],
    [
      'WEBHOOK_RETRY_SECONDS',
      ['1', '1, 2592000', Array(20).fill('1').join()],
      ['0', '60,2592001', '1.5', ',', Array(21).fill('1').join()],
    ],
    [
      'APP_SECRET',
      [secretOf(32), `${secretOf(32)}, ${secretOf(32)}`],
      [secretOf(31), `${secretOf(32)},${secretOf(31)}`],
    ],
    [
      'MAIL_URL',
      ['smtp://localhost:25', 'smtps://user:password@mail.example'],
      ['http://mail.example', 'mail.example'],
    ],
    ['MAIL_FROM', ['a@b'], ['a@']],
    ['ROW_SECURITY', ['true', 'false'], ['no', '0']],
    ['WEBHOOK_ALLOW_TARGETS', ['localhost:5001', '[::1]:5001, 10.0.0.0/8'], ['localhost', '10.0.0.1', 'a@b:5001']],
    ['WEBHOOK_DNS_SERVERS', ['9.9.9.9', '127.0.0.1:5353,[::1]:5353', '::1'], ['dns.example', '9.9.9.9:', ',']],
    ['WEBHOOK_SOURCE_ADDRESSES', ['203.0.113.7', '203.0.113.0/24, 2001:db8::/32'], ['203.0.113.7/0']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['http://127.0.0.1:4318'], ['127.0.0.1:4318', 'grpc://127.0.0.1:4317']],
  ])('%s may be %j, and not %j', (name, accepted, refused) => {
    for (const value of accepted) expect(() => readConfig({ [name]: value }), value).not.toThrow();
    for (const value of refused) expect(() => readConfig({ [name]: value }), value).toThrow(`${name}: `);
  });

  it('allow no private targets in production', () => {
    const production = {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgresql://127.0.0.1/a',
      APP_SECRET: secretOf(32),
      PUBLIC_URL: 'https://api.example.com',
    };
    expect(() => readConfig(production)).not.toThrow();
    const targets = { ...production, WEBHOOK_ALLOW_TARGETS: '10.0.0.0/8' };
    expect(() => readConfig(targets)).toThrow('WEBHOOK_ALLOW_TARGETS: is not for production');
  });

  it('treat an empty variable as not given', () => {
    expect(readConfig({ PORT: '', MAIL_URL: '' })).toMatchObject({ PORT: 3000 });
  });

  it.each([
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('TRUST_PROXY=%s', (text, meaning) => {
    expect(readConfig({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(meaning);
  });

  it.each([
    ['mailto:security@example.com', ['mailto:security@example.com']],
    ['https://example.com', ['https://example.com/']],
    ['https://example.com/a\nPolicy: x', ['https://example.com/aPolicy:%20x']],
    [
      'https://example.com/report , mailto:security@example.com',
      ['https://example.com/report', 'mailto:security@example.com'],
    ],
  ])('SECURITY_CONTACT=%s', (text, meaning) => {
    expect(readConfig({ SECURITY_CONTACT: text }).SECURITY_CONTACT).toEqual(meaning);
  });
});
