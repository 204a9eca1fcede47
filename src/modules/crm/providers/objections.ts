import type { ProviderSettings } from './provider.ts';
import type { SourceObjection } from './rows.ts';

/** The most characters of an option's key in an objection's id: ids are stored with at most 255 characters. */
const keyCharacters = 200;

/** A note of a deal; its content is HTML. */
export interface DealNote {
  readonly id: string;
  readonly content: string;
  readonly createdAt: Date | null;
}

/** The texts in a deal that become objections. For an option this is its label, not its id. */
interface ObjectionSources {
  readonly lostReason: string | null;
  readonly lostAt: Date | null;
  /** The texts of the configured property: one for each of its chosen options, or its only text. */
  readonly property: readonly { readonly key: string; readonly text: string }[];
  readonly notes: readonly DealNote[];
}

/**
 * The objections of a deal. Their ids are derived from their source, so that the next sync finds them again: the lost
 * reason, each option of the property, and each note.
 */
export const objectionsOf = (
  dealId: string,
  { lostReason = null, lostAt = null, property = [], notes = [] }: Partial<ObjectionSources>,
  { notePrefix, objectionCategory: category, objectionLang: lang }: ProviderSettings,
): SourceObjection[] => {
  const objection = (id: string, text: string, createdAt: Date | null): SourceObjection => ({
    id,
    dealId,
    category,
    text,
    lang,
    createdAt,
  });
  const found: SourceObjection[] = [];
  if (lostReason !== null && lostReason.trim() !== '') found.push(objection('lost_reason', lostReason, lostAt));
  for (const { key, text } of property) {
    if (text.trim() !== '') found.push(objection(`property:${key.slice(0, keyCharacters)}`, text, null));
  }
  for (const { id, content, createdAt } of notes) {
    const text = notePrefix === null ? undefined : afterPrefix(content, notePrefix);
    if (text !== undefined) found.push(objection(`note:${id}`, text, createdAt));
  }
  return found;
};

// Notes in CRMs are HTML. An objection is the plain text of a note.

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decode = (entity: string, name: string): string => {
  if (!name.startsWith('#')) return named[name.toLowerCase()] ?? entity;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : entity;
};

/** The plain text of a note's HTML: the ends of blocks become line breaks, and spaces are collapsed as in a browser. */
export const plainText = (html: string): string =>
  html
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/h[1-6]|\/tr)\b[^<>]*>/gi, '\n')
    .replaceAll(/<[a-z!/][^<>]*>/gi, '')
    .replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, decode)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/**
 * The text of a note after the prefix. The prefix is compared without regard to case. Undefined if the note has no
 * prefix, or no text after it.
 */
export const afterPrefix = (html: string, prefix: string): string | undefined => {
  const text = plainText(html);
  if (text.slice(0, prefix.length).toLowerCase() !== prefix.toLowerCase()) return undefined;
  return text.slice(prefix.length).replace(/^[\s:]+/, '') || undefined;
};
