import { fail } from '../../core/problem.ts';
import { limits } from '../../core/limits.ts';

/** PostgreSQL writes a number out in full: what 1e308 is in a body are 309 digits there and back. */
const digitsBeyond = (value: unknown): number => {
  if (typeof value === 'number') return value === 0 ? 0 : Math.abs(Math.log10(Math.abs(value)));
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + digitsBeyond(item), 0);
};

/**
 * A free-form value as the database takes it: the text that it is, so that nothing in between has an opinion on its keys.
 * Refused where its numbers alone would make it larger than any body may be.
 */
export const jsonText = (field: string, value: object | null): string | null => {
  if (value === null) return null;
  if (digitsBeyond(value) > limits.bodyBytes) {
    fail('validation_error', { field, detail: 'Written out in full, its numbers are too long to be kept.' });
  }
  return JSON.stringify(value);
};
