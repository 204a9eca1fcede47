import { t } from '../../language/texts.ts';

// The team's own headers of an endpoint. Their values are never shown again, so stored headers are kept or replaced as
// a whole.

export interface HeaderRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

/** Undefined: the stored headers stay as they are. */
export type HeadersDraft = readonly HeaderRow[] | undefined;

/** An empty row below the others. */
export const newRow = (rows: readonly HeaderRow[]): HeaderRow => ({
  id: Math.max(0, ...rows.map(({ id }) => id)) + 1,
  name: '',
  value: '',
});

/** Rows with the names of stored headers, whose values are entered again. */
export const rowsOf = (stored: readonly string[]): readonly HeaderRow[] =>
  stored.map((name, index) => ({ id: index + 1, name, value: '' }));

/** The message for rows that can't be sent. */
export const flawOfHeaders = (rows: HeadersDraft): string | false => {
  if (rows?.some(({ name, value }) => name.trim() === '' || value.trim() === '') === true)
    return t('Geben Sie zu jedem Header Name und Wert ein.', 'Enter a name and a value for each header.');
  const names = new Set(rows?.map(({ name }) => name.trim().toLowerCase()));
  return rows !== undefined && names.size < rows.length
    ? t('Jeder Header kann nur einmal vorkommen.', 'Each header can be there only once.')
    : false;
};

/** The headers in the request: all of them, null to delete them, or nothing if the stored ones stay. */
export const headersOf = (rows: HeadersDraft): { headers?: Record<string, string> | null } => {
  if (rows === undefined) return {};
  if (rows.length === 0) return { headers: null };
  return { headers: Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value.trim()])) };
};

/** The URL in the form in which the server stores it; a text that is no URL stays as it is. */
const normalised = (text: string): string => {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return trimmed;
  const url = new URL(trimmed);
  url.hash = '';
  return url.href;
};

interface StoredEndpoint {
  readonly url: string;
  /** The names of the stored headers. */
  readonly stored: readonly string[];
}

export const isNewUrl = (url: string, endpoint: Pick<StoredEndpoint, 'url'>): boolean =>
  normalised(url) !== endpoint.url;

/**
 * The headers of a form. Stored ones are kept only while the URL stays. For another URL, their values are entered
 * again.
 */
export const headersFor = (
  { url, headers }: { url: string; headers: HeadersDraft },
  endpoint: StoredEndpoint,
): HeadersDraft => headers ?? (isNewUrl(url, endpoint) ? rowsOf(endpoint.stored) : undefined);
