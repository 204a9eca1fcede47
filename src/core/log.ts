import process from 'node:process';
import pino from 'pino';

export type Logger = pino.Logger;

/**
 * JSON lines on stdout, written in batches. Nothing secret is ever handed to it. A line names the process's role and id where
 * there is a role: the processes of one start share its stdout. They also share it under a supervisor, so a batch there is no
 * larger than what a pipe takes in one piece (4,096 bytes), and lines of two processes never mix.
 */
export const makeLogger = (level: string, role?: string): Logger =>
  pino(
    {
      level,
      base: role === undefined ? null : { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({
      dest: 1,
      sync: false,
      periodicFlush: 200,
      ...(process.connected ? { minLength: 3_072, maxWrite: 4_096 } : { minLength: 12_288 }),
    }),
  );
