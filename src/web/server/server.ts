import type { appRouter } from '../../modules/app-router.ts';
import type { publicRouter } from '../../modules/public-router.ts';
import type { entranceRouter } from '../../modules/sessions/app.ts';
import { callerOf } from './caller.ts';

/** What only the app has. */
export const app = callerOf<typeof appRouter>('app');

/** What the public API has, for whoever is signed in. */
export const api = callerOf<typeof publicRouter>('api');

/** Signing in, and oneself. */
export const entrance = callerOf<typeof entranceRouter>('entrance');
