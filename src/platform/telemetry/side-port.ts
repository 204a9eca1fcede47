import { createServer } from 'node:http';

interface SidePortAnswer {
  readonly httpStatus?: number;
  readonly contentType: string;
  readonly text: string;
}

/** The answers to `GET` and `HEAD`, by path. */
export type Paths = Readonly<Record<string, () => SidePortAnswer | Promise<SidePortAnswer>>>;

export interface SidePort {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves a few paths for the operator, on a port of its own that need not be public. */
export const startSidePort = async (host: string, port: number, paths: Paths): Promise<SidePort> => {
  const server = createServer((request, response) => {
    const answer = paths[(request.url ?? '').split('?')[0] ?? ''];
    if (!answer || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    (async () => answer())().then(
      ({ httpStatus = 200, contentType, text }) =>
        response.writeHead(httpStatus, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
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
