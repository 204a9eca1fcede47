import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

/** Debian's headless Chromium is preferred: it needs a third less CPU time. */
const chromiumPlaces = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
] as const;

const installedChromium = (): string | undefined => chromiumPlaces.find((place) => existsSync(place));

const withoutWindows = 'chromium-headless-shell';

const run = promisify(execFile);

/** Installs Debian's own if this is a Debian and the user may do so. */
const install = async (): Promise<void> => {
  if (userInfo().uid !== 0 || !existsSync('/usr/bin/apt-get')) return;
  process.stdout.write(`Installing Debian’s ${withoutWindows} for the tests of the app …\n`);
  const options = {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  };
  const get = (...words: string[]) => run('apt-get', ['-qq', ...words], options);
  const chromium = ['install', '-y', '--no-install-recommends', withoutWindows];
  // The package lists of the machine may be missing or outdated.
  await get(...chromium).catch(() => get('update').then(() => get(...chromium)));
};

/**
 * The browser for these tests. If there is none and none can be installed, these tests are skipped with a message; in
 * CI, where nobody would read the message, it is a failure.
 */
export const findChromium = async (inCi: boolean): Promise<string | undefined> => {
  let reason = '';
  if (installedChromium() !== chromiumPlaces[0]) {
    await install().catch((error: unknown) => {
      reason = error instanceof Error ? `: ${error.message.slice(0, 500)}` : '';
    });
  }
  const found = installedChromium();
  if (found === undefined && inCi) throw new Error(`The tests of the app need Chromium, and there is none${reason}`);
  if (found === undefined) process.stdout.write('No Chromium here: the tests of the app (test/e2e) are SKIPPED.\n');
  return found;
};
