const id = /^(?:evt_[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;
const key = /^svck_live_[A-Za-z0-9]{12}$/;

/** The length of the longest text that the server searches for. */
const longest = 200;

/**
 * The text that is sent to the server. It lacks the secret part of a key and the secret of an endpoint, which must not
 * leave the browser.
 */
export const searchable = (text: string): string =>
  text
    .replaceAll(/(svck_live_[A-Za-z0-9]{12})_[A-Za-z0-9]*/g, '$1')
    .replaceAll(/whsec_\S*/g, '')
    .trim()
    .slice(0, longest);

/** The id or key in a pasted text, without quotes and punctuation around it; undefined for any other text. */
export const pastedId = (pasted: string): string | undefined => {
  if (pasted.length > 2_000) return undefined;
  const text = searchable(pasted)
    .replace(/^["'`({[\s]+/, '')
    .replace(/(?<!["'`)}\],.;\s])["'`)}\],.;\s]+$/, '');
  return id.test(text) || key.test(text) ? text : undefined;
};
