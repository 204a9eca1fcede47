import { z } from 'zod';
import { answer } from '../../core/spelling.ts';
import { adminProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { DirectoryState } from './schema.ts';
import { directoryState } from './state.ts';

export const directory = personRouter({
  /** Whether a directory is connected, which people it has added, and which of its requests were refused. */
  state: adminProcedure
    .input(z.strictObject({}))
    .output(DirectoryState)
    .query(({ ctx }) => answer(directoryState(ctx.team))),
});
