import { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { seconds } from '../core/clock.ts';
import { webhookLimits } from '../core/limits.ts';
import { readAllowedTargets } from './allowed-targets.ts';
import { Attempt } from './attempt.ts';
import { makeConnector } from './connect.ts';
import type { Egress, EgressSettings, Exchange, Message, Verdict } from './egress.ts';
import { Failure, failureOf, Forbidden, stoppedByService } from './failure.ts';
import { makeGuard } from './guard.ts';
import { openLines } from './line.ts';
import { openNames } from './names.ts';
import { ownAddresses } from './own-addresses.ts';
import { placeOf } from './place.ts';
import { proxyTunnel } from './proxy.ts';
import { targetRules } from './target-url.ts';
import type { Target } from './target-url.ts';

const vettingMs = 3_000;
/** Of an attempt's time: a look-up that begins later would be of no use, and so the attempt can tell why it was not made. */
const shareForTheTurn = 0.9;
/** Beyond so many, connections are closed after use. */
const mostKeptConnections = 1_000;

/** Text that holds no certificate would be passed over in silence, so it is read first. */
const trusting = (extraCa: string | undefined): SecureContext => {
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
  const { clock, publicUrl, allowTargets, extraCa, dnsServers, lookUp, proxyUrl } = settings;
  const timeout = settings.timeout ?? seconds(webhookLimits.timeoutSeconds);
  const allowed = readAllowedTargets(allowTargets);
  const names = openNames({ servers: dnsServers, ask: lookUp });
  const read = targetRules(allowed, placeOf(new URL(publicUrl)));
  const guard = makeGuard({ read, names, allowed, isOwn: ownAddresses() });
  const secureContext = trusting(extraCa);
  const tunnel = proxyUrl === undefined ? undefined : proxyTunnel(proxyUrl, secureContext);
  const connector = makeConnector({ guard, secureContext, timeout, tunnel });

  const lines = openLines(connector.connect, { keepAlive: true });
  /** For what must not travel over a connection that may be dead. */
  const freshLines = openLines(connector.connect, { keepAlive: false });
  const running = new Set<Attempt>();
  let closed = false;

  const vet = async (url: string, group?: string): Promise<Verdict> => {
    const target = read(url);
    if ('refused' in target) return { allowed: false, reason: target.refused };
    const late = new AbortController();
    try {
      // What is asked now is not kept: the first attempt looks up anew.
      const { signal } = late;
      const asking = guard.addressesOf(target, { keepMs: 0, waitMs: vettingMs, group });
      await Promise.race([asking, sleep(vettingMs, undefined, { signal }).catch(() => {})]);
    } catch (error) {
      if (error instanceof Forbidden) return { allowed: false, reason: error.message };
    } finally {
      late.abort();
    }
    return { allowed: true, url: target.url };
  };

  const send = ({ headers, body }: Message, { origin, path }: Target, over: Dispatcher, attempt: Attempt): void => {
    const reset = connector.open() > mostKeptConnections;
    over.dispatch({ origin, path, method: 'POST', headers, body, reset }, attempt);
  };

  const start = async (message: Message, attempt: Attempt): Promise<void> => {
    if (closed) return attempt.fail(new Failure('The service is stopping.', 'service'));
    const target = guard.read(message.url);
    if ('refused' in target) return attempt.fail(new Failure(target.refused));
    try {
      // Here too, though the connector does the same: an open connection is no way around.
      await guard.addressesOf(target, { waitMs: timeout * shareForTheTurn, group: message.group });
    } catch (error) {
      return attempt.fail(failureOf(error));
    }
    attempt.sendWith((fresh) => send(message, target, fresh ? freshLines : lines, attempt));
  };

  return {
    vet,
    post: (message) =>
      new Promise((resolve) => {
        const settled = (exchange: Exchange): void => {
          running.delete(attempt);
          resolve(exchange);
        };
        const attempt: Attempt = new Attempt({ startedAt: clock.now(), timeout, settled });
        running.add(attempt);
        void start(message, attempt);
      }),
    close: async () => {
      closed = true;
      for (const attempt of running) attempt.fail(stoppedByService());
      await Promise.all([lines.destroy(), freshLines.destroy()]);
      connector.close();
      names.close();
    },
  };
};
