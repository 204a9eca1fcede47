import type { Locator } from 'playwright-core';

/**
 * What a part of a page says to a screen reader: with the addresses of links, with values, and what is disabled or
 * checked. Rows are not named, because their names are their cells.
 */
export const saidBy = async (part: Locator): Promise<string> =>
  (await part.ariaSnapshot())
    .replaceAll(/^( *- )'?row .*:$/gm, '$1row:')
    .replaceAll(/^( *- button "Close"):\n *- img$/gm, '$1')
    .replaceAll(/^ *- (?:rowgroup:|img)\n/gm, '')
    // The choice of a letter has an option for each.
    .replaceAll(/^ *- option "[A-Z]"\n/gm, '');

const dayMs = 86_400_000;

/** A day of the future as the number of days until then. */
const daysAhead = (day: string): string => {
  const days = Math.ceil((Date.parse(day) - Date.now()) / dayMs);
  return days > 0 ? `${days} DAYS AHEAD` : 'DAY';
};

/** A text without what differs from run to run. */
export const alike = (text: string): string =>
  text
    .replaceAll(/(?<="(?:token|key|client_id|code_challenge|state)":")[^"]*/g, 'SECRET')
    .replaceAll(/(?<="passkey":)\{.*\}(?=\})/g, '"SECRET"')
    .replaceAll(/\b[A-Z2-7]{4}(?: [A-Z2-7]{4})+\b/g, 'SECRET')
    .replaceAll(/[\w.+-]+@[\w.-]*\w/g, 'EMAIL')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/evt_[0-9a-f]{32}/g, 'EVENT-ID')
    .replaceAll(/(?<=- time: )\d+ \w+ ago/g, 'AGO')
    .replaceAll(/\d{4}-\d\d-\d\d/g, daysAhead)
    .replaceAll(/(?:\w{3}, )?\d+ \w{3,4} \d{4}/g, 'DAY')
    .replaceAll(/(?<=(?:DAY|AHEAD)(?:T|, ))\d\d:\d\d(?::[\d.]+Z?)?/g, 'TIME')
    .replaceAll(/(?<=invitations(?:\/|%2F))[\w.-]+/g, 'SECRET')
    .replaceAll(/(?<=localhost:)\d+/g, 'PORT');
