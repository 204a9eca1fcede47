import { router } from '../trpc/operation.ts';
import { account } from './account/public.ts';
import { members } from './members/public.ts';

/** Everything that the public API can do. */
export const publicRouter = router({ account, members });
