import pino from 'pino';

export type Logger = pino.Logger;

/** JSON lines on stdout, written in batches. Nothing secret is ever handed to it. */
export const makeLogger = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 1, sync: false, minLength: 12_288, periodicFlush: 200 }),
  );
