import { currentLanguage } from '../../language/language.tsx';
import { patiently, pauseFor } from '../../server/retries.ts';
import { byteOrderMark, csvLine, type CsvValue } from './csv.ts';
import { addNames, type NamesById } from '../names/names.tsx';

// The download of a list as CSV. The rows come from the list's own procedure, so the same rights, privacy and filters
// apply.

export interface FileColumn<Row> {
  label: string;
  /**
   * How a column writes its value into the file. A column without it is not in the file. Without `names`, the column
   * uses the names that the page has loaded for its rows.
   */
  value?: (row: Row, names?: NamesById) => CsvValue;
}

interface WantedPage {
  limit: number;
  cursor?: string;
}

interface RowPage<Row> {
  data: readonly Row[];
  next_cursor: string | null;
}

/** How to read a list of which the page has loaded only a part. */
export interface CsvSource<Row> {
  /** Reads a page with the list's filters. Without it, all rows are on the page. */
  read?: (wanted: WantedPage) => Promise<RowPage<Row>>;
  /** For each row, the user whose name the columns contain. */
  userOf?: (row: Row) => string;
}

export interface Download<Row> extends CsvSource<Row> {
  /** The beginning of the file's name. */
  label: string;
  columns: readonly FileColumn<Row>[];
  /** All rows, if they are on the page. */
  rows: readonly Row[] | undefined;
}

interface DownloadRun {
  /** Called with the number of rows so far, while there are more. */
  onProgress: (rows: number) => void;
  signal: AbortSignal;
}

const pageSize = 200;
/**
 * From this number of rows on, the download pauses after each page. Otherwise the server could refuse calls of the
 * person's other pages.
 */
const quickRows = 10_000;
const pauseMs = 500;

export const saveFile = (file: Blob, name: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers start to read only after the click handler has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/** Downloads all rows of a list, page by page. If the download is aborted, no file is saved. */
export const downloadCsv = async <Row>(
  { label, columns: all, rows, read, userOf }: Download<Row>,
  { onProgress, signal }: DownloadRun,
): Promise<void> => {
  const language = currentLanguage();
  const columns = all.filter(({ value }) => value !== undefined);
  const headings = columns.map((column) => column.label);
  const lines = [byteOrderMark + csvLine(headings, language)];
  const names = new Map<string, string | null>();
  const onPage: RowPage<Row> = { data: rows ?? [], next_cursor: null };
  let count = 0;
  let cursor: string | null = null;
  do {
    const wanted: WantedPage = { limit: pageSize, ...(cursor !== null && { cursor }) };
    const { data, next_cursor: next }: RowPage<Row> =
      rows || !read ? onPage : await patiently(() => read(wanted), signal);
    if (userOf) await patiently(() => addNames(names, data.map(userOf)), signal);
    lines.push(
      ...data.map((row) =>
        csvLine(
          columns.map(({ value }) => value?.(row, names)),
          language,
        ),
      ),
    );
    count += data.length;
    cursor = next;
    if (cursor !== null) onProgress(count);
    if (count >= quickRows) await pauseFor(pauseMs, signal);
  } while (cursor !== null && !signal.aborted);
  if (signal.aborted) return;
  const today = new Date().toISOString().slice(0, 10);
  saveFile(new Blob(lines, { type: 'text/csv;charset=utf-8' }), `${label.replaceAll(' ', '-')}-${today}.csv`);
};
