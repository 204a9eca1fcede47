import pg from 'pg';
import { ConfigError } from '../core/config-error.ts';
import { isReadOnly, repeatUntilReached } from './unavailable.ts';
import { sqlState } from './sqlstate.ts';

// The primary may change. DATABASE_URL may name several hosts, as for libpq (`target_session_attrs=read-write`), and
// every connection goes to the host that accepts writes. pg itself connects to one host only.

const hostAndPort = /^(?:\[[\da-f:.]+\]|[^\s[\]:/?#@%]+)(?::\d{1,5})?$/i;

/**
 * The URLs of the hosts of a database URL, one for each. Throws a ConfigError that says what is wrong, without the
 * password.
 */
export const hostUrls = (databaseUrl: string): readonly [string, ...string[]] => {
  const [, start = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const [first = '', ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  if (start === '' || !URL.canParse(first)) throw new ConfigError('Invalid URL');
  const parameters = new URL(first).searchParams;
  for (const attributes of parameters.getAll('target_session_attrs')) {
    if (attributes === 'read-write') continue;
    throw new ConfigError(`target_session_attrs can only be read-write: the service writes with every request`);
  }
  if (others.length === 0) return [databaseUrl];
  for (const host of hosts.split(',')) {
    if (!hostAndPort.test(host)) throw new ConfigError(`"${host}" is neither host, host:port nor [IPv6 address]:port`);
  }
  if (['host', 'hostaddr', 'port'].some((name) => parameters.has(name)))
    throw new ConfigError('several hosts are given before the name of the database, as host:port,host:port');
  if (!others.every((url) => URL.canParse(url))) throw new ConfigError('Invalid URL');
  return [first, ...others];
};

/** The hosts of a URL with their ports, for logs and metrics: without user and password. */
export const hostNames = (databaseUrl: string): string =>
  hostUrls(databaseUrl)
    .map((url) => new URL(url).host)
    .join(',');

/** The same URL with another database. */
export const withDatabase = (databaseUrl: string, name: string): string =>
  databaseUrl.replace(/^([^/]*\/\/[^/?#]*)[^?#]*/, (_all, server: string) => `${server}/${encodeURIComponent(name)}`);

/** How long one host may take to answer, and how long a new connection waits for a host that accepts writes. */
const limits = { answer: 2_000, wait: 4_000 };
/**
 * How long a host is used without being asked again. The next connection asks it earlier if a connection to it was
 * lost, or if it refused a write.
 */
const trustedMs = 2_000;

interface Host {
  url: string;
  host: string;
  port: number;
}

/** Asks a host whether it accepts writes. Rejects if it does not, or does not answer in time. */
const ask = async (url: string): Promise<Host> => {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: limits.answer,
    query_timeout: limits.answer,
    application_name: 'team-customer-api search for the primary',
  });
  client.on('error', () => {});
  const { host, port } = client;
  try {
    await client.connect();
    const { rows } = await client.query(`select current_setting('transaction_read_only') as "readOnly"`);
    if (rows[0]?.readOnly === 'off') return { url, host, port };
    throw Object.assign(new Error('refuses writes'), { code: sqlState.readOnlyTransaction });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${new URL(url).host}: ${reason}`, { cause: error });
  } finally {
    void client.end().catch(() => {});
  }
};

/**
 * Throws the error of a search without a result. If the database does not exist, this is the error that a single host
 * would give: a migration recognizes it and creates the database.
 */
const explain = (error: unknown): never => {
  if (!(error instanceof AggregateError)) throw error;
  const refusals = error.errors.map(({ cause }: Error) => cause).filter((cause) => cause instanceof pg.DatabaseError);
  const missing = refusals.find(({ code }) => code === sqlState.noSuchDatabase);
  const reasons = error.errors.map(({ message }: Error) => message).join('; ');
  throw missing ?? new Error(`no host of the database accepts writes: ${reasons}`, { cause: error });
};

/** The hosts of one URL, and the host that this process takes for the primary. */
class Hosts {
  readonly #urls: readonly string[];
  #primary: Host | undefined;
  #trustedUntil = 0;
  /** All connections that need the primary at the same time share one search. */
  #search: Promise<Host> | undefined;
  readonly #connections = new Map<pg.Client, Host>();

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** The host that accepts writes. While there is none, it is searched for again, for a few seconds. */
  primary(): Promise<Host> {
    const until = performance.now() + limits.wait;
    return repeatUntilReached(
      () => this.#current(),
      () => performance.now() < until,
    );
  }

  add(client: pg.Client, host: Host): void {
    this.#connections.set(client, host);
    client.once('end', () => this.#connections.delete(client));
  }

  /** The next connection asks the host again before it uses it. */
  doubt(host: Host): void {
    if (host.url === this.#primary?.url) this.#trustedUntil = 0;
  }

  async #current(): Promise<Host> {
    if (this.#primary && performance.now() < this.#trustedUntil) return this.#primary;
    return (this.#search ??= this.#find().finally(() => (this.#search = undefined)));
  }

  async #find(): Promise<Host> {
    const asked = this.#urls.map((url) => ask(url));
    const anyone = Promise.any(asked);
    anyone.catch(() => {}); // nothing awaits it if the former primary is still the primary
    const former = asked[this.#urls.findIndex((url) => url === this.#primary?.url)] ?? anyone;
    const found = await former.catch(() => anyone).catch(explain);
    this.#primary = found;
    this.#trustedUntil = performance.now() + trustedMs;
    this.#leaveOthers(found);
    return found;
  }

  /**
   * Closes the connections to a former primary: an idle one would not notice that its server hangs or refuses writes.
   */
  #leaveOthers(primary: Host): void {
    for (const [client, { url }] of this.#connections) {
      if (url === primary.url) continue;
      client.connection.stream.destroy(
        Object.assign(new Error('another host is the primary'), { code: sqlState.readOnlyTransaction }),
      );
    }
  }
}

/** The last known primary for each URL. All pools of this process share it. */
const known = new Map<string, Hosts>();

type OnConnected = (error: Error | null) => void;

/**
 * Options of connections, used unless a caller gives others. Without them, the process would wait without end for a
 * machine that is gone.
 */
const lasting = { connectionTimeoutMillis: 10_000, keepAlive: true, keepAliveInitialDelayMillis: 30_000 };

/**
 * A client of pg, also for its pools (`Client: PrimaryClient`), that connects to the host of its URL that accepts
 * writes.
 */
export class PrimaryClient extends pg.Client {
  readonly #hosts: Hosts | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString = '', connectionTimeoutMillis = limits.answer } = config;
    const urls = hostUrls(connectionString);
    const first = {
      connectionString: urls[0],
      connectionTimeoutMillis: Math.min(limits.answer, connectionTimeoutMillis),
    };
    super({ ...lasting, ...config, ...(urls.length > 1 && first) });
    if (urls.length === 1) return;
    this.#hosts = known.get(connectionString) ?? new Hosts(urls);
    known.set(connectionString, this.#hosts);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: OnConnected): void;
  override connect(callback?: OnConnected): Promise<pg.Client> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error) => (error ? reject(error) : resolve(this)));
      });
    }
    if (this.#hosts) void this.#connectToPrimary(this.#hosts, callback);
    else super.connect(callback);
    return undefined;
  }

  /**
   * A connection is passed on in pg's own callback and not after a promise: the pool must listen to the connection
   * before anything can happen to it.
   */
  async #connectToPrimary(hosts: Hosts, callback: OnConnected): Promise<void> {
    let host: Host;
    try {
      host = await hosts.primary();
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    ({ host: this.host, port: this.port } = host);
    this.on('error', () => hosts.doubt(host));
    this.connection.on('errorMessage', (error: pg.DatabaseError) => {
      if (isReadOnly(error)) hosts.doubt(host);
    });
    hosts.add(this, host);
    super.connect((error: Error | null) => {
      if (error) hosts.doubt(host);
      callback(error);
    });
  }
}
