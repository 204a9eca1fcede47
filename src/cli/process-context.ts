import type { Readable } from 'node:stream';

/** A standard stream that a command prints to. */
interface Output {
  write(text: string): unknown;
  /** The width of the terminal; undefined for a file or a pipe. */
  readonly columns?: number | undefined;
  readonly isTTY?: boolean | undefined;
}

/** The environment variables and standard streams of a command. `process` is one; a test passes its own. */
export interface ProcessContext {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
}
