import { afterPrefix } from './note-text.ts';
import type { ProviderSettings, SourceObjection } from './provider.ts';

/** Of an option's key, in an objection's id: ids are kept as far as 255 characters. */
const keyCharacters = 200;

/** A note of a deal, its content in HTML. */
export interface DealNote {
  readonly id: string;
  readonly content: string;
  readonly createdAt: Date | null;
}

/** What a deal says about objections. Texts, not the ids of options. */
export interface ObjectionSources {
  readonly lostReason: string | null;
  readonly lostAt: Date | null;
  /** The values of the configured property: several where it has several options. */
  readonly property: readonly { readonly key: string; readonly text: string }[];
  readonly notes: readonly DealNote[];
}

/**
 * The objections of a deal. Their ids follow from where they come from, so that the next sync finds them again: the lost reason, the
 * property (each option of it), and each note have one.
 */
export const objectionsOf = (
  dealId: string,
  { lostReason, lostAt, property, notes }: ObjectionSources,
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
