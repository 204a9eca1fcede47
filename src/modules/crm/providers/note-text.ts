// Notes in CRMs are HTML of their editors. An objection is the plain text of a note.

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decoded = (entity: string, name: string): string => {
  if (!name.startsWith('#')) return named[name.toLowerCase()] ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : entity;
};

/** The plain text of a note's HTML: the ends of blocks become line breaks, and spaces are as a browser shows them. */
export const plainText = (html: string): string =>
  html
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/h[1-6]|\/tr)\b[^<>]*>/gi, '\n')
    .replaceAll(/<[a-z!/][^<>]*>/gi, '')
    .replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, decoded)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** What a note says after the prefix, compared without case; undefined for a note without it, or with nothing behind it. */
export const afterPrefix = (html: string, prefix: string): string | undefined => {
  const text = plainText(html);
  if (text.slice(0, prefix.length).toLowerCase() !== prefix.toLowerCase()) return undefined;
  return (
    text
      .slice(prefix.length)
      .replace(/^[\s:]+/, '')
      .trim() || undefined
  );
};
