import { t } from '../../language/texts.ts';

/** The effect of sharing a case. An owner who does not see the cases of others no longer sees the shared case. */
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
