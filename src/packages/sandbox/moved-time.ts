import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Clock } from '../../core/clock.ts';

// The sandbox's clock in its own process. All code in the process uses it, libraries too, because `Date` and the ids
// are changed. The database has the same offset (database.ts). The service's code is unchanged.

const RealDate = Date;
const realId = crypto.randomUUIDv7;

let ahead = 0;

/** The machine's time, which never moves. Signatures contain it, because receivers compare it with their own clocks. */
export const realClock: Clock = { now: () => new RealDate() };

/** Milliseconds by which the sandbox's clock is ahead of the machine's. */
export const timeAhead = (): number => ahead;

export const setTimeAhead = (milliseconds: number): void => {
  ahead = milliseconds;
};

const now = (): number => RealDate.now() + ahead;

/** The first 48 bits of an id are its time. */
const movedId: typeof realId = (options) => {
  const [, , version = '', variant = '', rest = ''] = realId(options).split('-');
  const time = now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${rest}`;
};

let isInstalled = false;

/** From this call on, the process uses the sandbox's time. */
export const installMovedTime = (): void => {
  if (isInstalled) return;
  isInstalled = true;
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, values, newTarget) =>
      Reflect.construct(
        target,
        values.length === 0 ? [now()] : values,
        newTarget === globalThis.Date ? target : newTarget,
      ),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  // Keeps `time.constructor === Date` true.
  RealDate.prototype.constructor = globalThis.Date;
  crypto.randomUUIDv7 = movedId;
  syncBuiltinESMExports();
};
