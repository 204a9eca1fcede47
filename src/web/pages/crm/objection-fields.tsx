import { Fieldset, NativeSelect, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Connection } from '../../../modules/crm/schema.ts';
import { useLocale, useText } from '../../language/language.tsx';

const sources = ['lost reason', 'property', 'notes'] as const;
type Source = (typeof sources)[number];

/** The source of objections, as the form has it. */
export interface ObjectionDraft {
  source: Source;
  /** The property's name or the prefix of notes. */
  text: string;
  category: string;
  lang: string;
}

export const draftOf = (settings: Connection['settings']): ObjectionDraft => {
  const { objection_property: property, note_prefix: prefix, objection_category, objection_lang } = settings;
  const rest = { category: objection_category, lang: objection_lang };
  if (property !== null) return { source: 'property', text: property, ...rest };
  return prefix === null ? { source: 'lost reason', text: '', ...rest } : { source: 'notes', text: prefix, ...rest };
};

export const settingsOf = ({ source, text, category, lang }: ObjectionDraft): Connection['settings'] => ({
  objection_property: source === 'property' ? text.trim() : null,
  note_prefix: source === 'notes' ? text.trim() : null,
  objection_category: category.trim(),
  objection_lang: lang,
});

const languages = ['de', 'en', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'cs', 'da', 'sv', 'tr'] as const;

/** Whether a text is a language tag as browsers take it. A CRM may send any text. */
export const isLanguageTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
};

/** The name of a language, in the reader's language. */
export const useLanguageName = (): ((tag: string) => string) => {
  const locale = useLocale();
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  return (tag) => (isLanguageTag(tag) ? (names.of(tag) ?? tag) : tag);
};

interface ObjectionFieldsProps {
  value: ObjectionDraft;
  onChange: (value: ObjectionDraft) => void;
  error: ReactNode;
}

/** Where a CRM's objections come from beside the lost reason, and their category and language. */
export const ObjectionFields = ({ value, onChange, error }: ObjectionFieldsProps) => {
  const t = useText();
  const languageName = useLanguageName();
  const words: Record<Source, [string, string]> = {
    'lost reason': [t('Nur aus dem Verlustgrund', 'From the lost reason only'), ''],
    property: [
      t('Auch aus einer Deal-Eigenschaft', 'Also from a deal property'),
      t('Interner Name der Eigenschaft', 'Internal name of the property'),
    ],
    notes: [
      t('Auch aus Notizen mit einem Präfix', 'Also from notes with a prefix'),
      t('Präfix der Notizen', 'Prefix of the notes'),
    ],
  };
  const known: readonly string[] = languages;
  const offered = known.includes(value.lang) ? known : [value.lang, ...known];
  return (
    <Fieldset legend={t('Einwände', 'Objections')} radius="md">
      <Stack gap="md">
        <Radio.Group
          label={t('Woher Einwände kommen', 'Where objections come from')}
          value={value.source}
          onChange={(chosen) =>
            onChange({ ...value, source: sources.find((source) => source === chosen) ?? 'lost reason' })
          }
        >
          <Stack gap="xs" mt="xs">
            {sources.map((source) => (
              <Radio key={source} value={source} label={words[source][0]} />
            ))}
          </Stack>
        </Radio.Group>
        {value.source !== 'lost reason' && (
          <TextInput
            label={words[value.source][1]}
            description={
              value.source === 'property'
                ? t('Ihr Text wird je Deal als Einwand übernommen.', 'Its text becomes an objection of the deal.')
                : t(
                    'Was in einer Notiz nach diesem Präfix steht, wird als Einwand übernommen.',
                    'What follows this prefix in a note becomes an objection.',
                  )
            }
            placeholder={value.source === 'property' ? 'objection' : t('Einwand:', 'Objection:')}
            required
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            value={value.text}
            onChange={(event) => onChange({ ...value, text: event.currentTarget.value })}
            error={error}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('Kategorie der Einwände', 'Category of the objections')}
            required
            maxLength={100}
            value={value.category}
            onChange={(event) => onChange({ ...value, category: event.currentTarget.value })}
          />
          <NativeSelect
            label={t('Sprache der Einwände', 'Language of the objections')}
            value={value.lang}
            onChange={(event) => onChange({ ...value, lang: event.currentTarget.value })}
            data={offered.map((tag) => ({ value: tag, label: languageName(tag) }))}
          />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
};
