import { TRPCClientError } from '@trpc/client';
import type { CsvListName } from '../../server/app/csv-lists.ts';
import { loadReasons } from '../language/reasons.ts';
import { callHeaders } from './links.ts';

export type { CsvListName };

/** A list as it is shown: its procedure's input, and the column by which the app itself has sorted it. */
export interface CsvWanted {
  list: CsvListName;
  input?: object | undefined;
  order?: string | undefined;
}

const nameIn = (disposition: string | null, list: string): string =>
  decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1] ?? `${list}.csv`);

/** Passes a file to the browser, which saves it. */
const save = (file: Blob, name: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers start to read only after the click handler has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

/**
 * Downloads a list as CSV. It is fetched, and not opened as a link, so that a refusal is shown on the page, and so that the request has
 * the header that pages of other sites can't send. The browser keeps a large file on its disk.
 */
export const downloadCsv = async ({ list, input = {}, order }: CsvWanted): Promise<void> => {
  const params = new URLSearchParams({ input: JSON.stringify(input), ...(order !== undefined && { order }) });
  const response = await fetch(`/trpc/csv/${list}?${params}`, {
    headers: callHeaders(),
  });
  if (!response.ok) {
    await loadReasons();
    throw TRPCClientError.from(await response.json());
  }
  save(await response.blob(), nameIn(response.headers.get('Content-Disposition'), list));
};
