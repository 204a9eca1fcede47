import type { Connection } from '../../../modules/crm/schema.ts';

export const sources = ['lost reason', 'property', 'notes'] as const;
export type ObjectionSource = (typeof sources)[number];

/** The source of objections as the form edits it. */
export interface ObjectionDraft {
  source: ObjectionSource;
  /** The property's name or the prefix of notes. */
  text: string;
  category: string;
  lang: string;
}

/** The settings of a connection in the fields of the form. */
export const draftOf = (settings: Connection['settings']): ObjectionDraft => {
  const { objection_property: property, note_prefix: prefix, objection_category, objection_lang } = settings;
  const rest = { category: objection_category, lang: objection_lang };
  if (property !== null) return { source: 'property', text: property, ...rest };
  return prefix === null ? { source: 'lost reason', text: '', ...rest } : { source: 'notes', text: prefix, ...rest };
};

/** The same settings in the form in which the server takes them. */
export const settingsOf = ({ source, text, category, lang }: ObjectionDraft): Connection['settings'] => ({
  objection_property: source === 'property' ? text.trim() : null,
  note_prefix: source === 'notes' ? text.trim() : null,
  objection_category: category.trim(),
  objection_lang: lang,
});

/** The settings of a new connection: only the lost reasons, in the reader's language. */
export const newObjections = (lang: string): ObjectionDraft => ({
  source: 'lost reason',
  text: '',
  category: 'other',
  lang,
});
