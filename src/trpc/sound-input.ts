import { TRPCError } from '@trpc/server';
import { Problem } from '../core/problem.ts';
import { flawOfValue } from '../core/storable.ts';

/** Refuses input that no value here may hold. REST has looked at its own already, before any schema does. */
export const needSoundInput = async (getRawInput: () => Promise<unknown>): Promise<void> => {
  const flaw = flawOfValue(await getRawInput());
  if (!flaw) return;
  const cause = new Problem('validation_error', { errors: [flaw] });
  throw new TRPCError({ code: 'BAD_REQUEST', message: flaw.message, cause });
};
