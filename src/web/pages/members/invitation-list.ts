import Papa from 'papaparse';
import { canonicalEmail } from '../../../core/email-address.ts';
import type { Language } from '../../../core/language.ts';

export interface Invitee {
  email: string;
  role: 'admin' | 'member';
  lang: Language | null;
}

/** What keeps a line from being an invitation. */
export type Flaw = 'email' | 'role' | 'lang' | 'twice' | 'too many';

/** A person of a list: as they were written, and as they would be invited or why not. */
export interface ListedPerson {
  /** Their place in the list, from 1. */
  place: number;
  email: string;
  role: string;
  lang: string;
  invitee?: Invitee;
  flaw?: Flaw;
}

export interface InvitationList {
  people: readonly ListedPerson[];
  /** Headings of columns that mean nothing here. */
  ignored: readonly string[];
}

type Field = 'email' | 'role' | 'lang';
type Written = Readonly<Record<Field, string>>;

/** How people head these columns, in either language. */
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

/** A line without headings: an address with what follows, or several addresses in a row. */
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

const inviteeOf = ({ email, role, lang }: Written): Invitee | Flaw => {
  if (canonicalEmail(email) === undefined) return 'email';
  const readRole = roles.get(role.toLowerCase());
  if (readRole === undefined) return 'role';
  const readLang = languages.get(lang.toLowerCase());
  if (readLang === undefined) return 'lang';
  return { email, role: readRole, lang: readLang };
};

/** Reads who is to be invited from what was pasted or chosen as a file, at most so many at once. */
export const readInvitations = (text: string, most: number): InvitationList => {
  const { written, ignored } = readCells(cellsOf(text));
  const seen = new Set<string>();
  const people = written.map((one, index): ListedPerson => {
    const listed = { place: index + 1, ...one };
    const read = inviteeOf(one);
    if (typeof read === 'string') return { ...listed, flaw: read };
    const address = canonicalEmail(read.email) ?? read.email;
    if (seen.has(address)) return { ...listed, flaw: 'twice' };
    if (seen.size >= most) return { ...listed, flaw: 'too many' };
    seen.add(address);
    return { ...listed, invitee: read };
  });
  return { people, ignored };
};

/** The same the other way round, to begin anew with some of them. */
export const writeInvitations = (people: readonly Invitee[]): string =>
  Papa.unparse(
    people.map(({ email, role, lang }) => ({ email, role, lang: lang ?? '' })),
    { columns: ['email', 'role', 'lang'], newline: '\n' },
  );
