import { t } from '../../language/texts.ts';

/** What becomes of a case that its owner shares, who sees the cases of others or not. */
export const afterSharing = (seesOthersCases: boolean): string =>
  seesOthersCases
    ? t(
        'Er erscheint unter „Team“. Das kann nicht rückgängig gemacht werden.',
        'It appears under “Team”. This can’t be undone.',
      )
    : t(
        'Sie selbst sehen ihn danach nicht mehr. Das kann nicht rückgängig gemacht werden.',
        'You will no longer see it yourself. This can’t be undone.',
      );
