import type { Key } from '../../../modules/keys/schema.ts';
import { longDayText, shortTimeText } from '../../kit/text/dates.ts';
import { t } from '../../language/texts.ts';
import { isReported } from './key-state.ts';

/** When a key expires: never, after a number of days, or at the end of a day. */
export interface ExpiryDraft {
  after: 'never' | '30' | '90' | '365' | 'date';
  date: string;
}

export const neverExpires: ExpiryDraft = { after: 'never', date: '' };

/** The suggested grace period of a key that is rotated, in days. A key that somebody has found should end at once. */
export const proposedGraceDays = (key: Pick<Key, 'status' | 'reported_at'>): number => (isReported(key) ? 0 : 7);

/** The end of a day in the reader's time zone. */
const endOf = (date: string): Date => new Date(`${date}T23:59:59.999`);

/** The exact time. Null for never; undefined while no day is chosen. */
export const expiryOf = ({ after, date }: ExpiryDraft, now = new Date()): Date | null | undefined => {
  if (after === 'never') return null;
  if (after === 'date') return date === '' ? undefined : endOf(date);
  const moment = new Date(now);
  moment.setDate(now.getDate() + Number(after));
  return moment;
};

/** How long a new key is valid, in words. */
export const expiryText = (draft: ExpiryDraft, now = new Date()): string => {
  const moment = expiryOf(draft, now);
  if (!moment) return t('Gültig, bis Sie ihn widerrufen oder rotieren.', 'Valid until you revoke or rotate it.');
  return t(`Gültig bis ${longDayText(moment)}.`, `Valid until ${longDayText(moment)}.`);
};

const dayMs = 86_400_000;

/** The effect of a grace period on the old key, in words. An empty text while the field has no number. */
export const graceText = (
  { expires_at: expires }: Pick<Key, 'expires_at'>,
  days: number | string,
  now = new Date(),
): string => {
  if (typeof days === 'string') return '';
  if (days === 0) {
    return t(
      'Der alte Schlüssel wird sofort ungültig. Anfragen werden abgelehnt (401), bis Ihre Anwendung den neuen verwendet.',
      'The old key stops working immediately. Requests are rejected (401) until your application uses the new key.',
    );
  }
  const graceEnds = now.getTime() + days * dayMs;
  const ends = expires === null ? graceEnds : Math.min(graceEnds, Date.parse(expires));
  const time = shortTimeText(new Date(ends));
  return ends < graceEnds
    ? t(
        `Der alte Schlüssel bleibt bis zu seinem Ablauf am ${time} gültig. Bis dahin können Sie beide verwenden.`,
        `The old key stays valid until it expires on ${time}. You can use both keys until then.`,
      )
    : t(
        `Der alte Schlüssel bleibt bis ${time} gültig. Bis dahin können Sie beide verwenden.`,
        `The old key stays valid until ${time}. You can use both keys until then.`,
      );
};

const warnDays = 14;

/** Whether an active key expires within two weeks and has no replacement yet. */
export const expiresSoon = (
  { status, expires_at: at, rotated_to_id: next }: Pick<Key, 'status' | 'expires_at' | 'rotated_to_id'>,
  now = new Date(),
): boolean => status === 'active' && next === null && at !== null && Date.parse(at) - now.getTime() < warnDays * dayMs;
