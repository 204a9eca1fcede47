import { count } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

/** The page warns if there are at most this many recovery codes. */
const fewCodes = 3;

export const areFew = (left: number): boolean => left <= fewCodes;

export const codesLeftText = (left: number): string =>
  t(
    `Noch ${count(left, 'Wiederherstellungscode', 'Wiederherstellungscodes')} verfügbar.`,
    `${count(left, 'recovery code', 'recovery codes')} left.`,
  );
