/**
 * A typed or pasted text without the secret part of a key and the secret of an endpoint. A search is sent to the server
 * in a URL, and the search of a list is in the address, so these secrets would be in histories and logs.
 */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(/(svck_live_[A-Za-z0-9]{12})_[A-Za-z0-9]*/g, '$1').replaceAll(/whsec_\S*/g, '');
