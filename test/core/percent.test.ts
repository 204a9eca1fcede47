import { expect, it } from 'vitest';
import { percentDecoded } from '../../src/core/percent.ts';

it('a text loses its percent-encoding, unless it is not valid UTF-8', () => {
  expect(['a%20b', '%C3%A4', '', '100'].map(percentDecoded)).toEqual(['a b', 'ä', '', '100']);
  expect(['%', '%ff', '%C3'].map(percentDecoded)).toEqual([undefined, undefined, undefined]);
});
