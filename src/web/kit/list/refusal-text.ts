import type { BulkResults } from '../../../platform/bulk.ts';
import { t } from '../../language/texts.ts';
import { waitInWords } from '../text/figures.ts';

type RefusedItem = Pick<BulkResults['results'][number], 'code' | 'retry_after'>;

/** The reason why an action failed for one of several rows. */
export const refusalText = ({ code, retry_after: wait }: RefusedItem): string => {
  const reasons: Partial<Record<NonNullable<RefusedItem['code']>, string>> = {
    not_found: t('Nicht mehr vorhanden.', 'It no longer exists.'),
    conflict: t('Der Status hat sich inzwischen geändert.', 'The status has changed in the meantime.'),
    validation_error: t(
      'Beim aktuellen Status ist das nicht möglich.',
      'This is not possible with the current status.',
    ),
    insufficient_scope: t('Dafür fehlt Ihnen die Berechtigung.', 'You don’t have permission for this.'),
    seat_limit_reached: t('Es ist kein Platz frei.', 'No seat is available.'),
    last_admin: t('Ein Team braucht mindestens einen aktiven Admin.', 'A team needs at least one active admin.'),
    owner: t('Das ist der Inhaber.', 'This is the owner.'),
    vorgabe_gesperrt: t('Diese Auswahl ist für die Person gesperrt.', 'This choice is blocked for the person.'),
    kombination_ungueltig: t(
      'Der Katalog lässt diese Kombination nicht mehr zu.',
      'The catalog no longer allows this combination.',
    ),
    api_disabled: t('Die API ist für dieses Team abgeschaltet.', 'The API is disabled for this team.'),
  };

  if (wait !== undefined) {
    return t(
      `Das Limit ist erreicht; wieder möglich ${waitInWords(wait)}.`,
      `The limit is reached; possible again ${waitInWords(wait)}.`,
    );
  }
  return (code && reasons[code]) ?? t('Das war nicht möglich.', 'This was not possible.');
};
