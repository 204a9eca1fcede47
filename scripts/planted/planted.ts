import type { Fault } from './faults.ts';

/** The file's text with the fault. Throws if the text to replace is not there exactly once. */
export const planted = ({ name, file, find, put }: Fault, text: string): string => {
  const [before = '', after, ...more] = text.split(find);
  if (after === undefined || more.length > 0) {
    throw new Error(`${name}: ${file} has its text ${more.length === 0 ? 'no longer' : 'more than once'}: ${find}`);
  }
  return before + put + after;
};
