import Papa from 'papaparse';
import { canonicalEmail, emailFlaw, type EmailFlaw } from '../../../core/email-address.ts';
import type { Language } from '../../../core/language.ts';

export interface Invitee {
  email: string;
  role: 'admin' | 'member';
  lang: Language | null;
  /** The id in the team's own system; absent if there is none. */
  external_id?: string;
  /** The name that is shown until the person has a name of their own; absent if there is none. */
  name?: string;
}

type InvitationField = 'email' | 'role' | 'lang' | 'external_id' | 'name' | 'first name' | 'last name';

/** One person of the list, as it was written. Only a list with headings has external ids. */
export type WrittenInvitee = Readonly<Record<'email' | 'role' | 'lang', string>> & {
  readonly external_id?: string;
  readonly name?: string;
};

export interface InvitationLine extends WrittenInvitee {
  /** The number of the line, in a list with one person on each line. It counts from 1, and a heading counts, too. */
  place: number;
}

export interface InvitationList {
  lines: readonly InvitationLine[];
  /** Headings of columns that are not used. */
  ignored: readonly string[];
}

/** The reason why a line is no valid invitation. */
export type LineError =
  | EmailFlaw
  | 'role'
  | 'lang'
  | 'external_id'
  | 'external_id twice'
  | 'twice'
  | 'member'
  | 'invited'
  | 'waiting'
  | 'too many';

/** A line with its invitation, or with the reason why it has none. */
export interface ReviewedLine extends InvitationLine {
  invitee?: Invitee;
  error?: LineError;
  /**
   * With `twice`: the other line with the same address. With `external_id twice`: the other line with the same external
   * id.
   */
  sameAs?: number;
}

/** The words for each role and language, in both languages. */
const wordsFor = <Meaning>(...all: [meaning: Meaning, ...words: string[]][]): ReadonlyMap<string, Meaning> =>
  new Map(all.flatMap(([meaning, ...words]) => words.map((word) => [word, meaning] as const)));

const headings = wordsFor<InvitationField>(
  ['email', 'email', 'e-mail', 'mail', 'e-mail-adresse', 'email-adresse', 'mailadresse', 'email address'],
  ['role', 'role', 'rolle'],
  ['lang', 'lang', 'language', 'sprache'],
  ['external_id', 'external_id', 'external id', 'externe id'],
  ['name', 'name', 'full name', 'vollständiger name'],
  ['first name', 'first name', 'given name', 'vorname'],
  ['last name', 'last name', 'surname', 'nachname'],
);

const roles = wordsFor<Invitee['role']>(['member', '', 'member', 'mitglied'], ['admin', 'admin']);

const languages = wordsFor<Language | null>(
  [null, ''],
  ['de', 'de', 'deutsch', 'german'],
  ['en', 'en', 'englisch', 'english'],
);

/** The role for a word; undefined if the word is no role. */
export const roleOf = (word: string): Invitee['role'] | undefined => roles.get(word.toLowerCase());

/** The language for a word, null for the team's language; undefined if the word is no language. */
export const languageOf = (word: string): Language | null | undefined => languages.get(word.toLowerCase());

/** The address in `Mia Berg <mia@example.com>`, a format of mail programs. */
const addressIn = (text: string): string => /<([^<>]*)>$/.exec(text)?.[1]?.trim() ?? text;

/** `Berg, Mia` as people say it. */
const spokenName = (text: string): string => {
  const [last = '', first = '', ...more] = text.split(/[,;]/).map((part) => part.trim());
  return first === '' || more.length > 0 ? text.trim() : `${first} ${last}`;
};

const nameOf = (text: string): { name?: string } => {
  const name = spokenName(text.trim().replaceAll(/^"|"$/g, ''));
  return name === '' ? {} : { name };
};

/** The name in `Mia Berg <mia@example.com>`. */
const nameBefore = (text: string): { name?: string } => nameOf(/^([^<]*)<[^<>]*>$/.exec(text)?.[1] ?? '');

const rowsOf = (text: string, delimiter: string): string[][] =>
  Papa.parse<string[]>(text, { delimiter, skipEmptyLines: 'greedy' }).data.map((row) => row.map((cell) => cell.trim()));

/** The cells of a line that is read on its own. Comma, semicolon and tab separate them, but not within quotes. */
const cellsOf = (line: string): string[] => {
  const separated = line.replaceAll(/"(?:[^"]|"")*"|[,;]/g, (part) => (part.startsWith('"') ? part : '\t'));
  return separated.split('\t').map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
};

/**
 * Reads a line without headings. It has an address, perhaps after a name, and perhaps a role and a language in any
 * order; or it has several addresses.
 */
const writtenIn = (cells: readonly string[]): WrittenInvitee[] => {
  const filled = cells.filter((cell) => cell !== '');
  const addresses = filled.filter((cell) => cell.includes('@'));
  if (addresses.length > 1)
    return addresses.map((cell) => ({ email: addressIn(cell), role: '', lang: '', ...nameBefore(cell) }));
  const [address = filled[0] ?? ''] = addresses;
  const others = filled.filter((cell) => cell !== address);
  const isLang = (cell: string): boolean => languageOf(cell) !== undefined;
  const isRole = (cell: string): boolean => roleOf(cell) !== undefined;
  // A name may stand before the address. An unknown word after the address was meant as a role, or as a language if
  // there is already a role. It must not get lost.
  const unknown = filled.slice(filled.indexOf(address) + 1).find((cell) => !isRole(cell) && !isLang(cell));
  const [role, lang] = [others.find(isRole), others.find(isLang)];
  const unknownIsLang = role !== undefined && lang === undefined;
  const before = filled.slice(0, filled.indexOf(address)).filter((cell) => !isRole(cell) && !isLang(cell));
  return [
    {
      email: addressIn(address),
      role: (unknownIsLang ? role : (unknown ?? role)) ?? '',
      lang: (unknownIsLang ? unknown : lang) ?? '',
      ...(before.length > 0 ? nameOf(before.join(' ')) : nameBefore(address)),
    },
  ];
};

const delimiters = ['\t', ';', ','] as const;

/** Reads a file whose first line has headings. A line with only one cell is read like a line without headings. */
const readTable = (text: string, heading: string): Omit<InvitationList, 'lines'> & { written: WrittenInvitee[] } => {
  const delimiter = delimiters.find((one) => heading.includes(one)) ?? ',';
  const [headingCells = [], ...rows] = rowsOf(text, delimiter);
  const fields = headingCells.map((cell) => headings.get(cell.toLowerCase()));
  const at = (cells: readonly string[], field: InvitationField): string => cells[fields.indexOf(field)] ?? '';
  return {
    written: rows.flatMap((cells) => {
      const email = addressIn(at(cells, 'email'));
      const [only = ''] = cells;
      if (cells.length === 1 && canonicalEmail(email) === undefined) return writtenIn(cellsOf(only));
      const externalId = at(cells, 'external_id');
      const own = externalId === '' ? {} : { external_id: externalId };
      const parts = [at(cells, 'first name'), at(cells, 'last name')].filter((part) => part !== '');
      const named = parts.length > 0 ? { name: parts.join(' ') } : nameOf(at(cells, 'name'));
      const name = named.name === undefined ? nameBefore(at(cells, 'email')) : named;
      return [{ email, role: at(cells, 'role'), lang: at(cells, 'lang'), ...own, ...name }];
    }),
    ignored: headingCells.filter((cell, index) => cell !== '' && fields[index] === undefined),
  };
};

/** `Berg, Mia; mia@…` and `Berg, Mia <mia@…>` become `Mia Berg`: the comma in a name separates no cells. */
const inSpokenOrder = (line: string): string =>
  line.replace(
    /^([^,;\t<>@"]+),([^,;\t<>@"]+)(?=[;\t<])/,
    (_, last: string, first: string) => `${first.trim()} ${last.trim()} `,
  );

/** Reads a list that was pasted or uploaded. */
export const readInvitations = (given: string): InvitationList => {
  const text = given.replace(/^\uFEFF/, '');
  const texts = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
  const [first = ''] = texts;
  const hasHeading = cellsOf(first).some((cell) => headings.get(cell.toLowerCase()) === 'email');
  const { written, ignored } = hasHeading
    ? readTable(text, first)
    : { written: texts.flatMap((line) => writtenIn(cellsOf(inSpokenOrder(line)))), ignored: [] };
  return { lines: written.map((one, index) => ({ place: index + (hasHeading ? 2 : 1), ...one })), ignored };
};

/** The maximum of characters in an external id. The service refuses longer ones. */
export const maxExternalId = 255;

const inviteeOf = ({ email, role, lang, external_id, name }: WrittenInvitee): Invitee | LineError => {
  const flaw = emailFlaw(email);
  if (flaw !== undefined) return flaw;
  const readRole = roleOf(role);
  if (readRole === undefined) return 'role';
  const readLang = languageOf(lang);
  if (readLang === undefined) return 'lang';
  const invitee = { email, role: readRole, lang: readLang, ...(name !== undefined && { name }) };
  if (external_id === undefined || external_id === '') return invitee;
  return [...external_id].length > maxExternalId ? 'external_id' : { ...invitee, external_id };
};

/**
 * Addresses of people who are already active, invited or waiting for their invitation, in the form in which addresses
 * are stored.
 */
export type KnownAddresses = ReadonlyMap<string, 'active' | 'invited' | 'waiting'>;

/**
 * Says for each line whether it is a valid invitation. At most `max` people can be invited; people who are already in
 * the team do not count.
 */
export const reviewInvitations = (
  lines: readonly InvitationLine[],
  max: number,
  known: KnownAddresses = new Map(),
): ReviewedLine[] => {
  const places = new Map<string, number>();
  const placesOfIds = new Map<string, number>();
  let invited = 0;
  return lines.map((line): ReviewedLine => {
    const read = inviteeOf(line);
    if (typeof read === 'string') return { ...line, error: read };
    const address = canonicalEmail(read.email) ?? read.email;
    const sameAs = places.get(address);
    if (sameAs !== undefined) return { ...line, error: 'twice', sameAs };
    places.set(address, line.place);
    const status = known.get(address);
    if (status !== undefined) return { ...line, error: status === 'active' ? 'member' : status };
    const sameId = read.external_id === undefined ? undefined : placesOfIds.get(read.external_id);
    if (sameId !== undefined) return { ...line, error: 'external_id twice', sameAs: sameId };
    if (read.external_id !== undefined) placesOfIds.set(read.external_id, line.place);
    if (invited >= max) return { ...line, error: 'too many' };
    invited += 1;
    return { ...line, invitee: read };
  });
};

/** The valid addresses of a list, each once, in the form in which addresses are stored. */
export const addressesIn = (lines: readonly WrittenInvitee[]): string[] => [
  ...new Set(lines.flatMap(({ email }) => canonicalEmail(email) ?? [])),
];

export const writeInvitations = (
  people: readonly Readonly<{
    email: string;
    role: string;
    lang: string | null;
    external_id?: string;
    name?: string;
  }>[],
): string => {
  const own = (['external_id', 'name'] as const).filter((field) => people.some((one) => one[field] !== undefined));
  return Papa.unparse(
    people.map(({ lang, ...one }) => ({ ...one, lang: lang ?? '' })),
    { columns: ['email', 'role', 'lang', ...own], newline: '\n' },
  );
};

/** How many characters the addresses of one request have at most, so that they fit into a URL. */
const partCharacters = 3_000;

/** The addresses in parts, each for one request. */
export const partsOf = (addresses: readonly string[], max: number): string[][] => {
  const parts: string[][] = [];
  let room = 0;
  for (const address of addresses) {
    const part = parts.at(-1);
    room -= address.length;
    if (part === undefined || room < 0 || part.length >= max) {
      parts.push([address]);
      room = partCharacters - address.length;
    } else part.push(address);
  }
  return parts;
};

/** The first values of the form for one person: a member, in the language of the team. */
export const newInvitation = { email: '', role: 'member', lang: '' };

/** The person in the form for one person. */
export const inviteeIn = ({ email, role, lang }: WrittenInvitee): Invitee => ({
  email,
  role: roleOf(role) ?? 'member',
  lang: languageOf(lang) ?? null,
});
