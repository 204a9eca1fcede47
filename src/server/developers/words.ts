import { locales, type Language, type Texts } from '../../core/language.ts';

// Numbers, sizes, times and lists, as people write them in each language.

export const numberIn = (language: Language, value: number): string => value.toLocaleString(locales[language]);

const units = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const;

export const bytesIn = (language: Language, bytes: number): string => {
  const [size, unit] = units.find(([min]) => bytes >= min) ?? [1, 'B'];
  return `${numberIn(language, bytes / size)} ${unit}`;
};

const lengths = [
  [24 * 3600, { de: ['Tag', 'Tage'], en: ['day', 'days'] }],
  [3600, { de: ['Stunde', 'Stunden'], en: ['hour', 'hours'] }],
  [60, { de: ['Minute', 'Minuten'], en: ['minute', 'minutes'] }],
  [1, { de: ['Sekunde', 'Sekunden'], en: ['second', 'seconds'] }],
] as const;

/**
 * A time in the largest unit that gives a whole number. Days are used only from two days on: `45 minutes`, `24 hours`,
 * `3 days`.
 */
export const durationIn = (language: Language, seconds: number): string => {
  const fits = ([length]: (typeof lengths)[number]) => seconds % length === 0 && (length < 86_400 || seconds > length);
  const [length, words] = lengths.find(fits) ?? lengths[3];
  const amount = seconds / length;
  return `${numberIn(language, amount)} ${words[language][amount === 1 ? 0 : 1]}`;
};

export const listIn = (language: Language, items: readonly string[]): string =>
  new Intl.ListFormat(locales[language], { type: 'conjunction' }).format(items);

const moment = { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

export const timeIn = (language: Language, time: Date): string =>
  `${time.toLocaleString(locales[language], { ...moment, timeZone: 'UTC' })} UTC`;

/** A table in Markdown. A vertical bar inside a cell would end it, so it is escaped. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
};

export const fence = (language: string, code: string, title = ''): string =>
  `\`\`\`${language}${title && ` ${title}`}\n${code.trimEnd()}\n\`\`\``;

/** Texts that the generated parts of the pages share. */
export const common = {
  field: { de: 'Feld', en: 'Field' },
  type: { de: 'Typ', en: 'Type' },
  description: { de: 'Beschreibung', en: 'Description' },
  scope: { de: 'Berechtigung', en: 'Scope' },
  route: { de: 'Route', en: 'Route' },
  header: { de: 'Header', en: 'Header' },
} as const satisfies Record<string, Texts>;
