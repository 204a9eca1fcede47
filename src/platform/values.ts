import { z } from 'zod';

/** A point in time, as every answer writes it: UTC with milliseconds. */
export const Time = z.string().meta({ format: 'date-time', example: '2026-11-20T08:30:00.000Z' });

export const Done = z.object({ ok: z.literal(true) }).meta({ id: 'Done' });
export const done = { ok: true } as const;
