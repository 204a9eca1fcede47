import { domainToUnicode } from 'node:url';
import { erasedMark } from '../../platform/team-table.ts';
import type { Replacements } from '../../platform/team-table.ts';

// How texts may name a person: by addresses, by names and by ids. Each is a regular expression of PostgreSQL, which ignores case.

/** Escapes what has a meaning in a regular expression. Letters, digits and everything outside ASCII stand for themselves. */
const literal = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');

/**
 * Escapes of JSON and of URLs that end with a letter or a digit though they stand for none: a line break, a space, a colon. Those of `+`, `-`,
 * `.`, `_`, of letters and of digits are left out, since they belong to the word that they stand before.
 */
const afterEscape = String.raw`(?<=\\[bfnrt]|\\u00[01][0-9a-f]|%(?:[01][0-9a-f]|2[0-9acf]|3[a-f]|40|5[b-e]|60|7[b-f]))`;

/** An address, but not as the end or the beginning of a longer one. */
const addressPattern = (address: string): string =>
  `(?:(?<![[:alnum:]_+-])(?<![[:alnum:]]\\.)|${afterEscape})${literal(address)}(?![[:alnum:]-])(?!\\.[[:alnum:]])`;

/** The forms in which an address is written: as it is kept, with its domain in Unicode, and within a URL. */
const formsOf = (address: string): string[] => {
  const at = address.lastIndexOf('@');
  const readable = `${address.slice(0, at)}@${domainToUnicode(address.slice(at + 1)) || address.slice(at + 1)}`;
  return [...new Set([address, readable].flatMap((form) => [form, encodeURIComponent(form)]))];
};

/** As it stands within a JSON text: quotes and backslashes are escaped there. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Spaces and line breaks between the words of a name, plain or escaped as in JSON and URLs. */
const gap = String.raw`(?:[\s\u00a0]|\\+[nrt]|%20|%0[ad]|\+)`;

/**
 * A name of several words, wherever its words stand as whole words; one of a single word only where it is the whole text, or stands in
 * quotes, as in JSON: `Will` and `Mark` are also words.
 */
const namePattern = (words: readonly string[]): string => {
  const name = words.map(literal).join(`${gap}+`);
  return words.length > 1
    ? `(?:(?<![[:alnum:]_])|${afterEscape})${name}(?![[:alnum:]_])`
    : `(?<=^|")${gap}*${name}${gap}*(?=$|\\\\*")`;
};

/** The words of a name in each form in which texts may have them: as they are, within JSON and within a URL. */
const formsOfName = (name: string): { plain: string[]; json: string[]; url: string[] } => {
  const plain = name.trim().split(/\s+/u);
  return { plain, json: plain.map(inJson), url: plain.map(encodeURIComponent) };
};

/** Within JSON, the letter of an escape such as `\n` does not begin a name: without it, the JSON would be broken. */
const notInEscape = String.raw`(?<!(?:^|[^\\])(?:\\\\)*\\)`;

interface Named {
  emails: readonly string[];
  names: readonly string[];
  /** Ids, each with the one that takes its place. */
  ids: readonly (readonly [id: string, placeholder: string])[];
}

/** What to look for, and what to put in its place. */
export const replacementsFor = ({ emails, names, ids }: Named): Replacements => {
  const forms = names.map(formsOfName);
  const inAnyText = [
    ...emails.flatMap(formsOf).map((form) => [addressPattern(form), erasedMark] as const),
    ...forms.flatMap(({ json, url }) => [json, url]).map((words) => [namePattern(words), erasedMark] as const),
    ...ids,
  ];
  // A quote at the beginning or end of a name would match the quotes around a JSON text.
  const inTexts = [...inAnyText, ...forms.map(({ plain }) => [namePattern(plain), erasedMark] as const)];
  const inJsonTexts = inAnyText.map(([pattern, by]) => [`${notInEscape}(?:${pattern})`, by] as const);
  return {
    texts: listsOf(inTexts),
    json: listsOf(inJsonTexts),
    // It is matched against several texts at once, a line each: the beginning and end of a line are those of a text.
    any: `(?n)${[...new Set(inTexts.map(([pattern]) => `(?:${pattern})`))].join('|')}`,
  };
};

const listsOf = (wanted: readonly (readonly [pattern: string, replacement: string])[]) => {
  const distinct = [...new Map(wanted)];
  return { patterns: distinct.map(([pattern]) => pattern), replacements: distinct.map(([, by]) => by) };
};
