import express from 'express';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { ui } from '../../../src/server/app/ui.ts';

/** A server in front of a service that can be stopped, and started again with another build of the app. */
export interface Front {
  readonly origin: string;
  stop(): Promise<void>;
  /** With the build in this folder. */
  start(folder: string): Promise<void>;
}

/**
 * A build like `dist/web` in which the files have other names, as after a change of code. Only those that no page's code
 * is in keep theirs, as they do after most changes.
 */
export const anotherBuild = async (): Promise<{ folder: string; remove: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'another-build-'));
  await cp('dist/web', folder, { recursive: true });
  const assets = join(folder, 'assets');
  const isText = (name: string) => ['.js', '.css'].includes(extname(name));
  // The last character of a hash may be any of these.
  const renamed = (text: string) =>
    text.replaceAll(
      /([\w-]+-)([\w-]{7})[\w-](?=\.(?:js|css|woff2)\b)/g,
      (whole: string, name: string, first: string) => {
        if (name === 'frame-' || name === 'rolldown-runtime-') return whole;
        return name + first + (whole.endsWith('_') ? '0' : '_');
      },
    );
  const write = async (file: string) => writeFile(file, renamed(await readFile(file, 'utf8')));
  await Promise.all(
    (await readdir(assets)).map(async (name) => {
      const file = join(assets, name);
      // The compressed files contain the former names.
      if (['.br', '.gz'].includes(extname(name))) return rm(file);
      if (isText(name)) await write(file);
      return rename(file, join(assets, renamed(name)));
    }),
  );
  const documents = (await readdir(folder)).filter((name) => extname(name) === '.html');
  await Promise.all(
    documents.map(async (name) => {
      await Promise.all(['.br', '.gz'].map((coding) => rm(join(folder, `${name}${coding}`))));
      await write(join(folder, name));
    }),
  );
  return { folder, remove: () => rm(folder, { recursive: true }) };
};

/** Starts a front server with the app from `dist/web`. Everything except the app’s files comes from the service. */
export const startFront = async (service: string): Promise<Front> => {
  let server: Server | undefined;
  let port = 0;

  const start = async (folder: string) => {
    const app = express()
      .disable('x-powered-by')
      .use(['/trpc', '/readyz'], (incoming, answer) => {
        const headers = { ...incoming.headers, host: new URL(service).host };
        if (headers.origin !== undefined) headers.origin = service;
        const onward = request(`${service}${incoming.originalUrl}`, { method: incoming.method, headers }, (from) => {
          answer.writeHead(from.statusCode ?? 502, from.headers);
          from.pipe(answer);
        });
        onward.on('error', () => answer.destroy());
        incoming.pipe(onward);
      })
      .use(ui(folder))
      .use((_request, answer) => void answer.status(404).end());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server = app.listen(port, '127.0.0.1', (error) => (error ? reject(error) : resolve()));
    await promise;
    const address = server.address();
    if (typeof address === 'object' && address) ({ port } = address);
  };
  const stop = async () => {
    const closed = Promise.withResolvers<void>();
    server?.close(() => closed.resolve());
    server?.closeAllConnections();
    await closed.promise;
  };

  await start('dist/web');
  return {
    get origin() {
      return `http://localhost:${port}`;
    },
    start,
    stop,
  };
};
