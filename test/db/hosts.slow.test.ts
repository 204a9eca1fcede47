import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import { openDatabase } from '../../src/db/database.ts';
import { hostUrls, PrimaryClient, withDatabase } from '../../src/db/hosts.ts';
import { ensureDatabase } from '../../src/db/migrate.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { anyCharacter } from '../support/any-character.ts';
import { certificates, type Certificates } from '../support/certificates.ts';
import { listen } from '../support/ports.ts';
import { withSql, rowsOf, statement } from '../support/postgres.ts';
import { openWire } from '../support/wire.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const ipv6 = fc.ipV6().filter((address) => URL.canParse(`postgres://[${address}]`));
const host = fc.record({
  name: fc.oneof(
    word,
    fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => words.join('.')),
    fc.ipV4(),
    ipv6,
  ),
  port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
});
const secret = fc
  .string({ unit: anyCharacter, minLength: 1 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));
const parts = fc.record({
  hosts: fc.array(host, { minLength: 1, maxLength: 4 }),
  user: secret,
  password: secret,
  database: word,
  parameters: fc.constantFrom(
    '',
    '?target_session_attrs=read-write',
    '?sslmode=disable&target_session_attrs=read-write',
  ),
});
type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;

const textOf = ({ name, port }: Parts['hosts'][number]): string =>
  `${name.includes(':') ? `[${name}]` : name}${port === undefined ? '' : `:${port}`}`;

const urlOf = ({ hosts, user, password, database, parameters }: Parts): string =>
  `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${hosts.map(textOf).join(',')}/${database}${parameters}`;

/** A URL of the run's server, with other hosts before its own. */
const urlBehind = (...before: string[]): string =>
  inject('databaseServer').adminUrl.replace('@', `@${before.map((one) => `${one},`).join('')}`);

/** A host that accepts connections and never answers. */
const aSilentHost = async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${await listen(server)}`, connections: () => connections };
};

/** A host that offers TLS with this certificate. */
const aHostWith = async (certificate: Certificates['server']): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S'); // TLS may begin
      new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
    });
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  return `127.0.0.1:${await listen(server)}`;
};

const dead = '127.0.0.1:1';

describe('a database URL', () => {
  it('with any hosts is read as one URL for each, in order, each with the user, the password and the database', () => {
    const normal = (name: string) =>
      new URL(`http://${name.includes(':') ? `[${name}]` : name}`).hostname.replace(/^\[|\]$/g, '');
    fc.assert(
      fc.property(parts, (given) => {
        const urls = hostUrls(urlOf(given));
        expect(readConfig({ DATABASE_URL: urlOf(given) }).DATABASE_URL).toBe(urlOf(given));
        const clients = urls.map((connectionString) => new pg.Client({ connectionString }));
        expect(clients.map((client) => [normal(client.host), client.port])).toEqual(
          given.hosts.map(({ name, port = 5432 }) => [normal(name), port]),
        );
        for (const { user, password, database } of clients)
          expect([user, password, database]).toEqual([given.user, given.password, given.database]);
        for (const url of hostUrls(withDatabase(urlOf(given), 'an other'))) {
          expect(new URL(url).pathname).toBe('/an%20other');
          expect(new URL(url).search).toBe(new URL(urls[0]).search);
        }
      }),
    );
  });

  it('with any text in place of the hosts is read as whole URLs or refused, without its password', () => {
    const piece = fc.oneof(
      fc.string(),
      word,
      fc.constantFrom(',', ':', '[', ']', '[::1]', '/', '?', '@', '5432', 'a,b'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = `postgres://someone:the-password@${pieces.join('')}/db`;
        try {
          for (const url of hostUrls(text)) expect(URL.canParse(url)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          if (!pieces.includes('@')) expect(String(error)).not.toContain('the-password');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['mysql://a,b/db', 'Invalid URL'],
    ['postgres://a:1,b:99999/db', 'Invalid URL'],
    ['postgres://a,,b/db', '"" is neither host, host:port nor [IPv6 address]:port'],
    ['postgres://a,b:/db', '"b:" is neither'],
    ['postgres://a,::1/db', '"::1" is neither'],
    ['postgres://a,%2Ftmp/db', '"%2Ftmp" is neither'],
    ['postgres://a,b/db?port=1', 'several hosts are given before the name of the database, as host:port,host:port'],
    [
      'postgres://a,b/db?target_session_attrs=any',
      'target_session_attrs can only be read-write: the service writes with every request',
    ],
    ['postgres://a/db?target_session_attrs=primary', 'target_session_attrs can only be read-write'],
    [
      'postgres://a,b/db?target_session_attrs=read-write&target_session_attrs=standby',
      'target_session_attrs can only be',
    ],
  ])('%s is refused: %s', (url, sentence) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(`DATABASE_URL: ${sentence}`);
  });

  it.each([
    'postgres:///db?host=/var/run/postgresql',
    'postgresql://a/db?sslmode=verify-full&target_session_attrs=read-write',
  ])('%s, of one host, stays as it is', (url) => expect(hostUrls(url)).toEqual([url]));
});

describe('a connection', () => {
  it('goes to the host that accepts writes, whether the others refuse, are unknown or never answer', async () => {
    const silent = await aSilentHost();
    const database = openDatabase(urlBehind(dead, silent.host, 'nowhere.invalid'), { poolSize: 3 });
    onTestFinished(() => database.close());
    expect(await database.acceptsWrites()).toBe(true);
    expect(await Promise.all([1, 2, 3].map(() => database.prisma.$queryRaw`select 1 as one`))).toHaveLength(3);
    expect(await rowsOf(database, statement<{ one: number }, []>('select 1 as one'))).toEqual([{ one: 1 }]);
    // One search for all connections that were opened together.
    expect(silent.connections()).toBe(1);
  });

  it('fails when no host accepts writes: with the reason of each, and not for longer than a request may wait', async () => {
    const silent = await aSilentHost();
    const database = openDatabase(`postgres://someone:the-password@${dead},${silent.host}/db`, { poolSize: 2 });
    onTestFinished(() => database.close());
    const since = performance.now();
    const failure: unknown = await rowsOf(database, statement<object, []>('select 1')).catch((error: unknown) => error);
    expect(performance.now() - since).toBeLessThan(8_000);
    expect(String(failure)).toContain(
      `no host of the database accepts writes: ${dead}: connect ECONNREFUSED ${dead}; ${silent.host}: `,
    );
    expect(String(failure)).not.toContain('the-password');
    expect(isUnavailable(failure)).toBe(true);
  });

  it('to a host with another certificate than expected is one that can not be had', async () => {
    const { expired, wrongHost, selfSigned, caFile } = await certificates();
    for (const certificate of [expired, wrongHost, selfSigned]) {
      const parameters = `sslmode=verify-full&sslrootcert=${caFile()}`;
      const database = openDatabase(`postgres://someone@${await aHostWith(certificate)}/db?${parameters}`, {
        poolSize: 1,
      });
      onTestFinished(() => database.close());
      const failures: unknown[] = [
        await rowsOf(database, statement<object, []>('select 1')).catch((error: unknown) => error),
        await database.prisma.team.findFirst().catch((error: unknown) => error),
      ];
      for (const failure of failures) expect(failure).toSatisfy((error: unknown) => isUnavailable(error));
    }
  });

  it('waits for a host that is just starting', async () => {
    const { adminUrl } = inject('databaseServer');
    const later = createServer();
    const port = await listen(later);
    later.close();
    const client = new PrimaryClient({ connectionString: adminUrl.replace(/(@[^:]*):\d+/, `$1:${port},${dead}`) });
    onTestFinished(() => client.end());
    const connecting = client.connect();
    const wire = await openWire(adminUrl, port);
    onTestFinished(() => wire.close());
    await connecting;
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('creates the missing database of a first migration', async () => {
    const name = `made_${randomUUID()}`;
    const { adminUrl } = inject('databaseServer');
    onTestFinished(() =>
      withSql({ databaseUrl: adminUrl }, async (sql) => void (await sql.query(`drop database "${name}"`))),
    );
    await ensureDatabase(withDatabase(urlBehind(dead), name));
    const client = new PrimaryClient({ connectionString: withDatabase(urlBehind(dead), name) });
    await client.connect();
    expect((await client.query('select current_database() as name')).rows).toEqual([{ name }]);
    await client.end();
  });
});
