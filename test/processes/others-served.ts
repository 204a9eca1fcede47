import { expect } from 'vitest';
import { hanging, openGround, watchOthers, type Field } from '../../scripts/try/overload.ts';
import { noLosses } from './no-losses.ts';

/** An installation behind nginx, for the requests of `npm run try -- overload`. */
export const openField = async (
  opened: AsyncDisposableStack,
  { cells = false }: { cells?: boolean } = {},
): Promise<Field> => {
  const ground = await openGround(opened, { proxy: 'nginx', apis: 2, cells });
  const { origin, certificate, processes } = ground.installation.service;
  return { ...ground, origin, certificate, http: 'HTTP/2', processes };
};

/** A receiver, a provider and a CRM hang at the same time: no request of the other teams fails, and no event is lost. */
export const expectOthersServed = async (field: Field): Promise<void> => {
  const { felt } = await watchOthers(field, () => Promise.all(Object.values(hanging).map((begin) => begin(field))));
  expect(felt).toHaveLength(field.others.length);
  for (const { outcome, losses } of felt) {
    expect(outcome.failures).toEqual({});
    expect(outcome.wrongReads).toBe(0);
    expect(outcome.posted.length).toBeGreaterThan(50 / felt.length);
    expect(losses).toMatchObject(noLosses);
  }
};
