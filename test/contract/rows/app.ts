import { administration } from './administration.ts';
import type { AppRow } from './kinds.ts';
import { practice } from './practice.ts';

/** The procedures that only the app has, for people of a team. */
export const appProcedures: Readonly<Record<string, AppRow>> = { ...practice, ...administration };
