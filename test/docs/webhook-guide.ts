import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const Vectors = z.strictObject({
  about: z.string(),
  vectors: z.array(
    z.strictObject({
      name: z.string(),
      secrets: z.array(z.string()),
      now: z.int(),
      signature: z.string().nullable(),
      standard_webhooks: z.record(z.string(), z.string()).optional(),
      body: z.string(),
      accepted: z.boolean(),
      reason: z.enum(['missing', 'malformed', 'wrong', 'too_old', 'too_new']).nullable(),
    }),
  ),
});

export const readVectors = async () =>
  Vectors.parse(JSON.parse(await readFile('docs/webhook-test-vectors.json', 'utf8'))).vectors;

interface Program {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
}

/** Runs a program to its end with this environment added; returns its output, or the reason of its failure. */
export const output = (
  command: string,
  args: readonly string[],
  { cwd, env = {}, input = '' }: Program,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const added = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const child = spawn('env', [...added, command, ...args], { cwd, timeout: 60_000 });
    let [written, complaint] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(written) : reject(new Error(`${command}: ${complaint}`))));
    child.stdin.on('error', () => {}); // a program may ignore its input
    child.stdin.end(input);
  });

/** Whether a program is installed here. */
export const has = (command: string, ...args: string[]): Promise<boolean> =>
  output(command, args, { cwd: '.' }).then(
    () => true,
    () => false,
  );

/** For `skip`: whether something that an example needs is missing here, and the note about it. */
export const misses = (what: string, is: boolean): [boolean, string] => [!is, `there is no ${what} on this machine`];
