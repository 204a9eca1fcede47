import { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { secondsToMs, type Clock } from '../core/clock.ts';
import { webhookLimits } from '../core/limits.ts';
import type { Message } from '../core/language.ts';
import { failureMessages } from '../core/messages/requests.ts';
import { openConnector, openConnections, proxyTunnel } from './connections.ts';
import { OutgoingRequest, type RequestParts, type WholeAnswer } from './outgoing-request.ts';
import { Failure, failureOf, Forbidden, stoppedByService, type Fault } from './failure.ts';
import { makeGuard, ownAddresses } from './guard.ts';
import { openNames } from './names.ts';
import { hostAndPortOf, readAllowedTargets, makeTargetRules, type Target } from './targets.ts';

/** Whether the service may send to a URL. If not, `reason` is a sentence for the owner of the URL. */
export type Verdict =
  | { readonly allowed: true; readonly url: string }
  | { readonly allowed: false; readonly reason: Message };

export interface OutgoingMessage {
  /** The URL in the form in which it was checked and stored. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sends the body slowly: in this many pieces over this many milliseconds, on its own connection. */
  readonly trickle?: { readonly ms: number; readonly pieces: number } | undefined;
}

/** A body that is sent in pieces with pauses between them. */
const inPieces = (body: string, { ms, pieces }: NonNullable<OutgoingMessage['trickle']>): Readable => {
  const bytes = Buffer.from(body);
  const size = Math.ceil(bytes.length / pieces);
  const send = async function* () {
    for (let start = 0; start < bytes.length; start += size) {
      if (start > 0) await sleep(ms / pieces);
      yield bytes.subarray(start, start + size);
    }
  };
  return Readable.from(send(), { objectMode: false });
};

/** The result of a request. PostgreSQL can store all of its texts. */
export interface RequestResult {
  readonly startedAt: Date;
  /** The duration in whole milliseconds. */
  readonly ms: number;
  readonly code: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** The answer's first 1000 characters; null without an answer. */
  readonly excerpt: string | null;
  /**
   * The reason why there is no answer, or not enough of it for the excerpt, in a sentence for the receiver's owner.
   * Null otherwise, whatever the status of the answer.
   */
  readonly error: string | null;
  /** `error` in German. */
  readonly errorDe?: string | null;
  /**
   * The side that caused a missing or incomplete answer. If it is not clearly the service's own failure, it counts as
   * the receiver's.
   */
  readonly fault: Fault | null;
}

/** A request that needs the whole answer. */
export interface WholeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds for the whole request, name look-up included. */
  readonly timeout: number;
  /** The maximum size of the answer's body in bytes. */
  readonly maxBytes: number;
}

/**
 * Sends requests to machines of customers: each within a time limit, and to private networks only if the operator
 * allows it.
 */
export interface Egress {
  /** Checks a URL to which a team wants events sent. A name that does not resolve (yet) is allowed. */
  vet(url: string): Promise<Verdict>;
  /** Sends one POST. Never throws, because a failure is a result, too. */
  post(message: OutgoingMessage): Promise<RequestResult>;
  /** Makes a request and returns the whole answer, whatever its status. Throws `Failure` if it is not complete. */
  fetch(request: WholeRequest): Promise<WholeAnswer>;
  /** The TXT records of a name, by which customers prove that a domain is theirs. */
  textsOf(name: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface EgressSettings {
  clock: Clock;
  /** The service's own URL, to which nothing is sent. */
  publicUrl: string;
  /** `host:port` as written in URLs, or address ranges (CIDR), which are allowed even if they are private. */
  allowTargets?: readonly string[] | undefined;
  /** PEM text of certificate authorities to trust in addition to the usual ones. */
  extraCa?: string | undefined;
  /** `address` or `address:port` of DNS servers to query instead of those that the system is configured with. */
  dnsServers?: readonly string[] | undefined;
  /** Replaces the look-up of names. */
  lookUp?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** An HTTP proxy through which every connection goes, by CONNECT to the address that was checked. */
  proxyUrl?: string | undefined;
  /**
   * Whether receivers on this machine are allowed, with and without TLS. Only the sandbox for customers' tests allows
   * them.
   */
  loopback?: boolean | undefined;
  /** Milliseconds for a whole request, name look-up included. */
  timeout?: number | undefined;
}

const vettingMs = 3_000;
/** Beyond this number, connections are closed after use. */
const maxKeptConnections = 1_000;

/** Reading all the usual certificates takes 20 ms, so egresses with the same additional ones share a context. */
const contexts = new Map<string | undefined, SecureContext>();

const secureContextFor = (extraCa: string | undefined): SecureContext => {
  const context = contexts.get(extraCa) ?? readTrusted(extraCa);
  contexts.set(extraCa, context);
  return context;
};

/** Node ignores text without a certificate silently, so it is parsed first. */
const readTrusted = (extraCa: string | undefined): SecureContext => {
  if (extraCa === undefined) return createSecureContext();
  if (!isCertificate(extraCa)) throw new Error('There is no PEM certificate in the additional certificate authorities');
  return createSecureContext({ ca: [...getCACertificates('default'), extraCa] });
};

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
};

export const openEgress = (settings: EgressSettings): Egress => {
  const { clock, publicUrl, allowTargets, extraCa, dnsServers, lookUp, proxyUrl, loopback = false } = settings;
  const timeout = settings.timeout ?? secondsToMs(webhookLimits.timeoutSeconds);
  const allowed = readAllowedTargets(allowTargets);
  const names = openNames({ servers: dnsServers, ask: lookUp });
  const read = makeTargetRules({ allowed, own: hostAndPortOf(new URL(publicUrl)), loopback });
  const guard = makeGuard({ read, names, allowed, isOwn: ownAddresses() });
  const secureContext = secureContextFor(extraCa);
  const tunnel = proxyUrl === undefined ? undefined : proxyTunnel(proxyUrl, { secureContext, timeout });
  const connector = openConnector({ guard, secureContext, timeout, tunnel });

  const connections = openConnections(connector.connect, { keepAlive: true });
  /**
   * For requests that must not use a kept connection: those that are sent slowly, and those that are sent again because
   * the receiver had closed the kept connection.
   */
  const singleUseConnections = openConnections(connector.connect, { keepAlive: false });
  const running = new Set<OutgoingRequest>();
  let closed = false;

  const vet = async (url: string): Promise<Verdict> => {
    const target = read(url);
    if ('refused' in target) return { allowed: false, reason: target.refused };
    const late = new AbortController();
    try {
      const { signal } = late;
      const asking = guard.addressesOf(target, { fresh: true });
      await Promise.race([asking, sleep(vettingMs, undefined, { signal }).catch(() => {})]);
    } catch (error) {
      if (error instanceof Forbidden) return { allowed: false, reason: error.told };
    } finally {
      late.abort();
    }
    return { allowed: true, url: target.url };
  };

  type RequestToSend = Pick<WholeRequest, 'method' | 'url' | 'headers' | 'body'> & Pick<OutgoingMessage, 'trickle'>;

  const send = (
    { method, headers, body, trickle }: RequestToSend,
    { origin, path }: Target,
    over: Dispatcher,
    request: OutgoingRequest,
  ): void => {
    const reset = connector.open() > maxKeptConnections;
    if (body !== undefined && trickle) {
      const exact = { ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
      singleUseConnections.dispatch({ origin, path, method, headers: exact, body: inPieces(body, trickle) }, request);
      return;
    }
    over.dispatch({ origin, path, method, headers, body: body ?? null, reset }, request);
  };

  const start = async (sent: RequestToSend, request: OutgoingRequest): Promise<void> => {
    if (closed) return request.fail(stoppedByService());
    const target = guard.read(sent.url);
    if ('refused' in target) return request.fail(new Forbidden(target.refused));
    try {
      // The connector checks too, but an open connection must not bypass the check.
      await guard.addressesOf(target);
    } catch (error) {
      return request.fail(failureOf(error));
    }
    request.sendWith((onNewConnection) =>
      send(sent, target, onNewConnection ? singleUseConnections : connections, request),
    );
  };

  const run = (sent: RequestToSend, { settled, ...limits }: Omit<RequestParts, 'startedAt'>): void => {
    const request: OutgoingRequest = new OutgoingRequest({
      ...limits,
      startedAt: clock.now(),
      settled: (...outcome) => {
        running.delete(request);
        settled(...outcome);
      },
    });
    running.add(request);
    void start(sent, request);
  };

  return {
    vet,
    post: (message) =>
      new Promise((settled) => {
        run({ ...message, method: 'POST' }, { timeout, settled });
      }),
    fetch: ({ timeout: limit, maxBytes, ...sent }) =>
      new Promise((resolve, reject) => {
        const settled: RequestParts['settled'] = (_result, failure, whole) => {
          if (whole) resolve(whole);
          else reject(failure ?? new Failure(failureMessages.noAnswer));
        };
        run(sent, { timeout: limit, maxBytes, settled });
      }),
    textsOf: (name) => names.textsOf(name),
    close: async () => {
      closed = true;
      for (const request of running) request.fail(stoppedByService());
      await Promise.all([connections.destroy(), singleUseConnections.destroy()]);
      connector.close();
      names.close();
    },
  };
};
