import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const program = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const Failure = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string().min(1) }) });

/** How a command failed that was asked for JSON: its exit code, and the code and message on stderr. */
export const failureIn = ({ exitCode, stdout, stderr }: Ended) => {
  if (stdout !== '') throw new Error(`It failed and yet printed ${stdout}`);
  return { exitCode, ...Failure.parse(JSON.parse(stderr)).error };
};

/** The command line as a script uses it: a process of its own for each command, with nothing but this environment. */
export const makeCli = (environment: Record<string, string>) => {
  const run = async (args: readonly string[], more: Record<string, string> = {}): Promise<Ended> => {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment, ...more };
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { exitCode, stdout, stderr };
  };

  return {
    run,
    /** The one JSON document of a command that is done, in exactly this shape. */
    async json<Value>(shape: z.ZodType<Value>, args: readonly string[], more?: Record<string, string>): Promise<Value> {
      const { exitCode, stdout, stderr } = await run([...args, '--json'], more);
      if (exitCode !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return shape.parse(JSON.parse(stdout));
    },
    failure: async (args: readonly string[], more?: Record<string, string>) =>
      failureIn(await run([...args, '--json'], more)),
  };
};

export type Cli = ReturnType<typeof makeCli>;
