import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

const project = join(import.meta.dirname, '..', '..');
const program = join(project, 'scripts', 'up.ts');
const compileCache = join(project, 'node_modules', '.cache', 'node-compile');

/** `npm run up` after the installation, in its own process with only this environment. */
export const startUp = (environment: Record<string, string>) => {
  // A process that starts with the compiled code of the one before needs half of the time.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_COMPILE_CACHE: compileCache, ...environment };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));

  /** Waits until it prints this. */
  const prints = (text: string): Promise<void> =>
    expect.poll(() => printed.stdout + (child.exitCode === null ? '' : printed.stderr)).toContain(text);

  return {
    printed,
    ended,
    prints,
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** The request in the printed curl command. */
    async firstRequest(): Promise<{ url: string; authorization: string }> {
      await prints('Ctrl-C stops everything.');
      const [, authorization = '', url = ''] =
        /^curl -i -H 'Authorization: ([^']+)' (\S+)$/m.exec(printed.stdout) ?? [];
      return { url, authorization };
    },
  };
};
