import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  /** By content coding; the build has made the small ones. */
  readonly bodies: Readonly<Record<'identity' | 'br' | 'gzip', Buffer | undefined>>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const readIfThere = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);

/** What the build left in this folder, by path below the service's address; empty where nothing was built. */
export const readBuiltUi = (folder: string): ReadonlyMap<string, BuiltFile> => {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const files = new Map<string, BuiltFile>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const file = join(folder, path);
    const identity = readFileSync(file);
    files.set(`/${path.replaceAll('\\', '/')}`, {
      type,
      etag: `"${hash('sha256', identity, 'base64url').slice(0, 22)}"`,
      bodies: { identity, br: readIfThere(`${file}.br`), gzip: readIfThere(`${file}.gz`) },
    });
  }
  return files;
};
