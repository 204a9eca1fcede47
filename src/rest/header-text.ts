import { isUtf8 } from 'node:buffer';

/** A header's text. Node reads its bytes as Latin-1; what is valid UTF-8 was meant as that, and is counted in its characters. */
export const headerText = (header: string | string[] | undefined): string | undefined => {
  const text = Array.isArray(header) ? header.join(', ') : header;
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
};
