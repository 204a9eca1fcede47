/** A day (UTC) as PostgreSQL reads it: `2026-11-20`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
