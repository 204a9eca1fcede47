import { domainToUnicode } from 'node:url';
import { erasedMark } from '../../platform/team-table.ts';
import type { Replacements } from '../../platform/team-table.ts';

// How texts may name a person: by addresses, by names and by ids. Each is a regular expression of PostgreSQL, which is used in any case.

/** Escapes what means something in a regular expression. Letters, digits and all that is not ASCII mean themselves. */
const literal = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');

/** An address, but not as the end or the beginning of a longer one. */
const addressPattern = (address: string): string =>
  `(?<![[:alnum:]_+-])(?<![[:alnum:]]\\.)${literal(address)}(?![[:alnum:]-])(?!\\.[[:alnum:]])`;

/** The forms in which an address is written: as it is kept, with its domain in Unicode, and within a URL. */
const formsOf = (address: string): string[] => {
  const at = address.lastIndexOf('@');
  const readable = `${address.slice(0, at)}@${domainToUnicode(address.slice(at + 1)) || address.slice(at + 1)}`;
  return [...new Set([address, readable].flatMap((form) => [form, encodeURIComponent(form)]))];
};

/** As it stands within a JSON text: the quotes of a name are escaped there. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const spaced = (text: string): string => text.split(/\s+/u).map(literal).join('\\s+');

/**
 * A name of several words, wherever its words stand as whole words; one of a single word only where it is the whole text, or stands in
 * quotes, as in JSON: `Will` and `Mark` are names, too.
 */
const namePattern = (name: string): string =>
  /\s/u.test(name.trim())
    ? `(?<![[:alnum:]_])${spaced(name.trim())}(?![[:alnum:]_])`
    : `(?<=^|")\\s*${literal(name.trim())}\\s*(?=$|")`;

interface Named {
  emails: readonly string[];
  names: readonly string[];
  /** Ids, each with the one that takes its place. */
  ids: readonly (readonly [id: string, placeholder: string])[];
}

/** What to look for, and what to put in its place. */
export const replacementsFor = ({ emails, names, ids }: Named): Replacements => {
  const wanted = [
    ...emails.flatMap(formsOf).map((form) => [addressPattern(form), erasedMark] as const),
    ...[...new Set(names.flatMap((name) => [name, inJson(name)]))].map(
      (name) => [namePattern(name), erasedMark] as const,
    ),
    ...ids.map(([id, placeholder]) => [id, placeholder] as const),
  ];
  const patterns = wanted.map(([pattern]) => pattern);
  return {
    patterns,
    replacements: wanted.map(([, replacement]) => replacement),
    // It is matched against several texts at once, a line each: the beginning and end of a line are those of a text.
    any: `(?n)${patterns.map((pattern) => `(?:${pattern})`).join('|')}`,
  };
};
