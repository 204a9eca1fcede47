import { isUtf8 } from 'node:buffer';

/**
 * The text of a header that may come once; empty, which nothing takes for a value, if it came more often. Node reads its
 * bytes as Latin-1; what is valid UTF-8 was meant as that, and is counted in its characters.
 */
export const onlyText = (given: readonly string[] | undefined): string | undefined => {
  const [text, ...more] = given ?? [];
  if (text === undefined) return undefined;
  if (more.length > 0) return '';
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
};
