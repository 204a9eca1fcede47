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

/** Advice on a session that the person does not recognize. With the company account, they can't change a password. */
export const unknownSessionText = (withCompanyAccount: boolean): string =>
  withCompanyAccount
    ? t('Sie erkennen eine Sitzung nicht? Beenden Sie sie.', 'Don’t recognize a session? Sign it out.')
    : t(
        'Sie erkennen eine Sitzung nicht? Beenden Sie sie und ändern Sie Ihr Passwort.',
        'Don’t recognize a session? Sign it out and change your password.',
      );
