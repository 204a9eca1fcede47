import type { DirectoryState } from '../../../modules/provisioning/schema.ts';
import { t } from '../../language/texts.ts';

type DirectoryRefusal = Pick<DirectoryState['refusals'][number], 'status' | 'code' | 'detail'>;

/** Advice on a request of the directory that was refused. */
export const adviceOnRefusal = ({ status, code, detail }: DirectoryRefusal): string => {
  if (status >= 500 && status !== 501) {
    return t(
      'Eine vorübergehende Störung: Das Verzeichnis versucht es erneut. Hält sie an, wenden Sie sich mit der Anfrage-ID an den Betreiber der Plattform.',
      'A temporary fault: the directory tries again. If it lasts, contact the platform operator with the request ID.',
    );
  }
  if (code === 'validation_error' && status === 409) {
    return t(
      'Jemand im Team hat diesen userName schon. Lassen Sie Ihr Verzeichnis die Person suchen und zuordnen; wer deaktiviert ist, wird wieder aktiviert, nicht neu angelegt.',
      'Somebody in the team already has this userName. Let your directory look the person up and link to them; a deactivated person is activated again, not created.',
    );
  }
  if (code === 'validation_error' && detail?.includes('userName') === true) {
    return t(
      'Ordnen Sie userName im Verzeichnis die E-Mail-Adresse der Person zu.',
      'Map userName to the person’s email address in the directory.',
    );
  }
  if (code === 'conflict' && status === 403) {
    return t(
      'Übertragen Sie keine Gruppen außer Admins, und ändern Sie diese nur über ihre Mitglieder.',
      'Push no groups other than Admins, and change that one only by its members.',
    );
  }
  const advice: Readonly<Record<string, string>> = {
    insufficient_scope: t(
      'Wer den Schlüssel angelegt hat, ist kein Admin mehr. Legen Sie oben einen neuen an und tragen Sie ihn im Verzeichnis ein.',
      'The person who created the key is no longer an admin. Create a new one above and enter it in the directory.',
    ),
    seat_limit_reached: t(
      'Alle Plätze sind belegt, und nichts wurde gespeichert. Entfernen Sie Mitglieder oder erweitern Sie den Tarif. Das Verzeichnis versucht es später erneut.',
      'All seats are taken, and nothing was stored. Remove members or extend the plan. The directory tries again later.',
    ),
    owner: t(
      'Der Inhaber kann nicht entfernt werden und bleibt Admin. Übergeben Sie zuerst das Team.',
      'The owner can’t be removed and stays an admin. Transfer the team first.',
    ),
    last_admin: t(
      'Der letzte aktive Admin kann nicht entfernt werden. Machen Sie zuerst ein anderes Mitglied zum Admin.',
      'The last active admin can’t be removed. Make another member an admin first.',
    ),
    conflict: t(
      'Ein anderes Mitglied hat diese externe ID. Suchen Sie es unter Mitglieder.',
      'Another member has this external ID. Search for it under Members.',
    ),
    api_disabled: t(
      'Der Tarif des Teams enthält keinen API-Zugang, oder das Team ist nicht aktiv.',
      'The team’s plan does not include API access, or the team is not active.',
    ),
    not_found: t(
      'Die Person wurde gelöscht. Verzeichnisse legen sie beim nächsten Abgleich neu an.',
      'The person was deleted. Directories create them again with their next cycle.',
    ),
  };
  const byMapping = t(
    'Vergleichen Sie die Zuordnung der Attribute im Verzeichnis mit der Anleitung.',
    'Compare the attribute mapping in the directory with the guide.',
  );
  return (status === 501 ? undefined : advice[code ?? '']) ?? byMapping;
};
