import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Clock } from '../core/clock.ts';

// The sandbox's clock in its own process. Everything in the process follows it, libraries too, because `Date` and the ids are moved. The
// database has the same offset (database.ts). The code of the service has no part in it.

const RealDate = Date;
const realId = crypto.randomUUIDv7;

let ahead = 0;

/** The machine's time, which never moves: signatures have it, because receivers compare it with their own clocks. */
export const realClock: Clock = { now: () => new RealDate() };

/** How far the sandbox's clock is ahead of the machine's, in milliseconds. */
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

/** From now on this process lives in the sandbox's time. */
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
  // So that `time.constructor === Date` stays true.
  RealDate.prototype.constructor = globalThis.Date;
  crypto.randomUUIDv7 = movedId;
  syncBuiltinESMExports();
};
