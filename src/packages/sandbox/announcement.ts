import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { ConfigError } from '../../core/config-error.ts';
import { isAlive } from '../../run/process.ts';
import { Seed } from './seed.ts';

/**
 * The description of a running sandbox. Its start prints it, and other commands read it in a file to find the sandbox.
 */
export const Announcement = Seed.extend({
  base_url: z.string(),
  app_url: z.string(),
  /** The address at which tests move the clock and trigger events over HTTP, with the token as a bearer token. */
  control_url: z.string(),
  control_token: z.string(),
  pid: z.int(),
});
export type Announcement = z.output<typeof Announcement>;

/** The folder of the announcements. Only this user may read it, because they contain keys. */
const folder = (): string => {
  const path = join(tmpdir(), `team-customer-api-sandboxes-${process.getuid?.() ?? 0}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(path);
  if (process.getuid && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    throw new ConfigError(`${path} belongs to somebody else: set TMPDIR to a folder of your own.`);
  }
  return path;
};

/** A sandbox has its own port, so the port names it. */
export const announcementFile = (port: string | number): string => join(folder(), `${port}.json`);

const fileOf = (appUrl: string): string => announcementFile(new URL(appUrl).port);

/** The announcement is written to a temporary file first, so that readers never find only a part of it. */
export const announce = (announcement: Announcement): void => {
  const file = fileOf(announcement.app_url);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(announcement, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
};

export const withdraw = ({ app_url }: Pick<Announcement, 'app_url'>): void => rmSync(fileOf(app_url), { force: true });

const readAnnouncement = (file: string): Announcement | undefined => {
  try {
    return Announcement.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
};

/** The running sandboxes of this user on this machine. Announcements of killed sandboxes are deleted. */
export const runningSandboxes = (): Announcement[] =>
  readdirSync(folder())
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => {
      const file = join(folder(), name);
      const announcement = readAnnouncement(file);
      if (announcement && isAlive(announcement.pid)) return [announcement];
      rmSync(file, { force: true });
      return [];
    });

/** The running sandbox of this port or, without one, the only one. */
export const findSandbox = (port: number | undefined): Announcement => {
  const running = runningSandboxes();
  const wanted = port === undefined ? running : running.filter(({ app_url }) => new URL(app_url).port === String(port));
  const [found, another] = wanted;
  if (!found)
    throw new ConfigError(port === undefined ? 'No sandbox is running.' : `No sandbox is running on port ${port}.`);
  if (another) {
    throw new ConfigError(
      `Several sandboxes are running: choose one with --port (${wanted.map(({ app_url }) => new URL(app_url).port).join(', ')}).`,
    );
  }
  return found;
};
