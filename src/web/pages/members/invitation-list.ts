import Papa from 'papaparse';
import { canonicalEmail } from '../../../core/email-address.ts';
import type { Language } from '../../../core/language.ts';

export interface Invitee {
  email: string;
  role: 'admin' | 'member';
  lang: Language | null;
}

/** The reason why a line is no valid invitation. */
export type LineError = 'email' | 'role' | 'lang' | 'twice' | 'member' | 'invited' | 'too many';

/** A line of the list: its text, and its invitation or the reason why it has none. */
export interface ListedPerson {
  /** The line's number, from 1. */
  place: number;
  email: string;
  role: string;
  lang: string;
  invitee?: Invitee;
  error?: LineError;
}

export interface InvitationList {
  people: readonly ListedPerson[];
  /** Headings of columns that are not used. */
  ignored: readonly string[];
}

type Field = 'email' | 'role' | 'lang';
type Written = Readonly<Record<Field, string>>;

/** Headings that are recognized, in both languages. */
const headings = new Map<string, Field>([
  ['email', 'email'],
  ['e-mail', 'email'],
  ['mail', 'email'],
  ['e-mail-adresse', 'email'],
  ['email address', 'email'],
  ['role', 'role'],
  ['rolle', 'role'],
  ['lang', 'lang'],
  ['language', 'lang'],
  ['sprache', 'lang'],
]);

const roles = new Map<string, Invitee['role']>([
  ['', 'member'],
  ['member', 'member'],
  ['mitglied', 'member'],
  ['admin', 'admin'],
]);

const languages = new Map<string, Language | null>([
  ['', null],
  ['de', 'de'],
  ['deutsch', 'de'],
  ['german', 'de'],
  ['en', 'en'],
  ['englisch', 'en'],
  ['english', 'en'],
]);

/** The address in `Mia Berg <mia@example.com>`, as mail programs write it. */
const addressIn = (text: string): string => /<([^<>]*)>$/.exec(text)?.[1]?.trim() ?? text;

const cellsOf = (text: string): string[][] =>
  Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' }).data.map((row) =>
    row.map((cell) => cell.trim()),
  );

/** A line of a list without headings: an address with role and language, or several addresses. */
const writtenIn = (cells: readonly string[]): Written[] => {
  const addresses = cells.filter((cell) => cell.includes('@'));
  if (addresses.length > 1) return addresses.map((cell) => ({ email: addressIn(cell), role: '', lang: '' }));
  const [email = '', role = '', lang = ''] = cells;
  return [{ email: addressIn(email), role, lang }];
};

const readCells = (rows: readonly string[][]): { written: Written[]; ignored: string[] } => {
  const [first = [], ...rest] = rows;
  const fields = first.map((heading) => headings.get(heading.toLowerCase()));
  if (!fields.includes('email')) return { written: rows.flatMap(writtenIn), ignored: [] };
  const at = (cells: readonly string[], field: Field): string => cells[fields.indexOf(field)] ?? '';
  return {
    written: rest.map((cells) => ({
      email: addressIn(at(cells, 'email')),
      role: at(cells, 'role'),
      lang: at(cells, 'lang'),
    })),
    ignored: first.filter((heading, index) => heading !== '' && fields[index] === undefined),
  };
};

const inviteeOf = ({ email, role, lang }: Written): Invitee | LineError => {
  if (canonicalEmail(email) === undefined) return 'email';
  const readRole = roles.get(role.toLowerCase());
  if (readRole === undefined) return 'role';
  const readLang = languages.get(lang.toLowerCase());
  if (readLang === undefined) return 'lang';
  return { email, role: readRole, lang: readLang };
};

/** Addresses of people who are already in the team, in the form in which addresses are stored. */
export type KnownAddresses = ReadonlyMap<string, 'active' | 'invited'>;

/** Reads a pasted or uploaded list of at most `most` invitations. Lines of people who are already in the team have none. */
export const readInvitations = (text: string, most: number, known: KnownAddresses = new Map()): InvitationList => {
  const { written, ignored } = readCells(cellsOf(text));
  const seen = new Set<string>();
  let invited = 0;
  const people = written.map((one, index): ListedPerson => {
    const listed = { place: index + 1, ...one };
    const read = inviteeOf(one);
    if (typeof read === 'string') return { ...listed, error: read };
    const address = canonicalEmail(read.email) ?? read.email;
    if (seen.has(address)) return { ...listed, error: 'twice' };
    seen.add(address);
    const status = known.get(address);
    if (status !== undefined) return { ...listed, error: status === 'invited' ? 'invited' : 'member' };
    if (invited >= most) return { ...listed, error: 'too many' };
    invited += 1;
    return { ...listed, invitee: read };
  });
  return { people, ignored };
};

/** The addresses in a list, each once, in the form in which addresses are stored. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    readInvitations(text, Infinity).people.flatMap(({ invitee }) => canonicalEmail(invitee?.email ?? '') ?? []),
  ),
];

export const writeInvitations = (people: readonly Invitee[]): string =>
  Papa.unparse(
    people.map(({ email, role, lang }) => ({ email, role, lang: lang ?? '' })),
    { columns: ['email', 'role', 'lang'], newline: '\n' },
  );
