import process from 'node:process';
import pino from 'pino';

export type Logger = pino.Logger;

let second = Number.NaN;
let textOfSecond = '';

/**
 * The time of a line. Lines of the same second share the text of its date: to write a whole date for each line would
 * take a third of the line's time.
 */
export const timeField = (now = Date.now()): string => {
  const milliseconds = now % 1_000;
  if (now - milliseconds !== second) {
    second = now - milliseconds;
    textOfSecond = `,"time":"${new Date(second).toISOString().slice(0, -4)}`;
  }
  return `${textOfSecond}${String(milliseconds).padStart(3, '0')}Z"`;
};

/** The number that pino gives the level `error`. */
const errorLevel = 50;

/** Hooks of a logger that call a function for each line at `error` or above. */
export const countingErrors = (count: () => void): NonNullable<pino.LoggerOptions['hooks']> => ({
  logMethod(args, method, level) {
    if (level >= errorLevel) count();
    method.apply(this, args);
  },
});

/**
 * JSON lines on stdout, written in batches. Callers never log secrets. With a role, each line names the role and the
 * process id, because all processes of a machine may share one collector of logs.
 */
export const makeLogger = (level: string, role?: string, onError: () => void = () => {}): Logger =>
  pino(
    {
      level,
      hooks: countingErrors(onError),
      base: role === undefined ? null : { role, pid: process.pid },
      timestamp: () => timeField(),
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({
      dest: 1,
      sync: false,
      periodicFlush: 200,
      minLength: 12_288,
    }),
  );
