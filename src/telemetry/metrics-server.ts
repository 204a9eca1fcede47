import { createServer } from 'node:http';
import type { ReadableMeter } from './meter.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Options {
  meter: ReadableMeter;
  host: string;
  port: number;
}

/** Serves `GET /metrics` and nothing else, on a port that need not be open to the world. */
export const serveMetrics = async ({ meter, host, port }: Options): Promise<MetricsServer> => {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    meter.text().then(
      (text) => response.writeHead(200, { 'Content-Type': meter.contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  meter.watchProcess();
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
