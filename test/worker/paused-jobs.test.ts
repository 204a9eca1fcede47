import pino from 'pino';
import { expect, it } from 'vitest';
import type { MaintenanceWatch } from '../../src/modules/maintenance/service.ts';
import { runWhileOpen } from '../../src/run/worker.ts';

it('jobs run again after maintenance, also when their stop before it failed', async () => {
  let changed = () => {};
  const maintenance: { current: MaintenanceWatch['current']; onChange: MaintenanceWatch['onChange'] } = {
    current: undefined,
    onChange: (listener) => {
      changed = listener;
      return () => {};
    },
  };
  const turn = (current: MaintenanceWatch['current']) => {
    maintenance.current = current;
    changed();
  };
  let [started, stopped] = [0, 0];
  const jobs = runWhileOpen(maintenance, pino({ level: 'silent' }), () => {
    started += 1;
    return {
      stop: async () => {
        stopped += 1;
        throw new Error('a queue does not stop');
      },
    };
  });
  await expect.poll(() => started).toBe(1);
  turn('unknown');
  await expect.poll(() => stopped).toBe(1);
  turn(undefined);
  await expect.poll(() => started).toBe(2);
  await jobs.stop();
});
