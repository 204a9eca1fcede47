import { randomUUIDv7 } from 'node:crypto';

/** Ids are UUIDv7: they sort by the time they were made, so new rows land at the end of every index. */
export const newId = (): string => randomUUIDv7();

const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is an id as this service writes it. Anything else can't name a row and must not reach SQL. */
export const isId = (text: string): boolean => canonical.test(text);
