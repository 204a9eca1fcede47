import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

/** Debian's Chromium without windows: it needs a third less of the processor. */
const withoutWindows = 'chromium-headless-shell';

const places = [
  `/usr/bin/${withoutWindows}`,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const installed = (): string | undefined => places.find((place) => existsSync(place));

const run = promisify(execFile);

/** Debian's own, where this is a Debian and we may. */
const install = async (): Promise<void> => {
  if (userInfo().uid !== 0 || !existsSync('/usr/bin/apt-get')) return;
  process.stdout.write(`Installing Debian’s ${withoutWindows} for the tests of the app …\n`);
  const options = {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  };
  const get = (...words: string[]) => run('apt-get', ['-qq', ...words], options);
  const chromium = ['install', '-y', '--no-install-recommends', withoutWindows];
  // The lists of a machine may be there already, or be too old.
  await get(...chromium).catch(() => get('update').then(() => get(...chromium)));
};

/**
 * The browser that drives the app. Where there is none and none can be installed, these tests are skipped and a line says
 * so; where nobody would read that line, in CI, it is a failure.
 */
export const findChromium = async (inCi: boolean): Promise<string | undefined> => {
  let reason = '';
  if (installed() !== places[0]) {
    await install().catch((error: unknown) => {
      reason = error instanceof Error ? `: ${error.message.slice(0, 500)}` : '';
    });
  }
  const found = installed();
  if (found === undefined && inCi) throw new Error(`The tests of the app need Chromium, and there is none${reason}`);
  if (found === undefined) process.stdout.write('No Chromium here: the tests of the app (test/e2e) are SKIPPED.\n');
  return found;
};
