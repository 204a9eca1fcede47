import { withoutSecrets } from '../kit/text/secrets.ts';

const id = /^(?:evt_[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const key = /^svck_live_[A-Za-z0-9]{12}$/;

/** The length of the longest text that the server searches for. */
const longest = 200;

/** The text that is sent to the server. */
export const searchable = (text: string): string => withoutSecrets(text).trim().slice(0, longest);

/** The id or key in a pasted text, without quotes and punctuation around it; undefined for any other text. */
export const pastedId = (pasted: string): string | undefined => {
  if (pasted.length > 2_000) return undefined;
  const text = searchable(pasted)
    .replace(/^["'`({[\s]+/, '')
    .replace(/(?<!["'`)}\],.;\s])["'`)}\],.;\s]+$/, '');
  return id.test(text) || key.test(text) ? text : undefined;
};
