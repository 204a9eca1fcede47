import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Failure } from './failure.ts';
import type { Fault } from './failure.ts';
import { placeOf } from './place.ts';

/** Makes a way through a proxy to an address. */
export type Tunnel = (address: string, port: number, limit: number, signal: AbortSignal) => Promise<Socket>;

const credentials = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
};

const failed = (why: string, fault: Fault) =>
  new Failure(`The connection through the service’s outgoing proxy failed: ${why}.`, fault);

/** With these a proxy says that the target is to blame. */
const targetNotReached = new Set([502, 504]);

export const proxyTunnel = (proxyUrl: string, secureContext: SecureContext): Tunnel => {
  const url = new URL(proxyUrl);
  const { host, port: proxyPort } = placeOf(url);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const toProxy = {
    host,
    port: proxyPort,
    method: 'CONNECT',
    agent: false,
    secureContext,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };

  return (address, port, limit, signal) =>
    new Promise((resolve, reject) => {
      const place = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
      const headers = { Host: place, Connection: 'keep-alive', ...credentials(url) };
      const asking = request({ ...toProxy, path: place, headers, signal });
      const deadline = performance.now() + limit;
      // A proxy that is not there must be told from a silent target: so it has half of the time to take the question.
      let timer = setTimeout(() => asking.destroy(failed('it can’t be reached', 'service')), limit / 2);
      asking.once('finish', () => {
        clearTimeout(timer);
        const late = () => asking.destroy(failed('it did not answer in time', 'receiver'));
        timer = setTimeout(late, deadline - performance.now());
      });
      asking.once('connect', ({ statusCode = 0 }, socket, head) => {
        clearTimeout(timer);
        socket.on('error', () => {});
        if (statusCode >= 200 && statusCode <= 299) {
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
        } else {
          socket.destroy();
          reject(failed(`it answered ${statusCode}`, targetNotReached.has(statusCode) ? 'receiver' : 'service'));
        }
      });
      asking.on('error', (error) => {
        clearTimeout(timer);
        reject(error instanceof Failure ? error : failed('it can’t be reached', 'service'));
      });
      asking.end();
    });
};
