import { t } from '../../language/texts.ts';
import { client } from '../../server/server.ts';
import { remindedText } from './figures.ts';

/** Reminders of some assignments, as an action on several rows. */
export const reminding = (ids: readonly string[]) => ({
  ids,
  call: (part: string[]) => client.app.assigning.remindMany.mutate({ assignment_ids: part }),
  doneText: remindedText,
  consequences: t(
    'Jede Person erhält eine E-Mail mit allen diesen Aufgaben, an jede höchstens einmal in 24 Stunden. Die E-Mails zählen für das Limit pro Tag.',
    'Each person gets one email with all of these assignments, of each at most once in 24 hours. The emails count towards the daily limit.',
  ),
  action: t('Erinnerungen senden', 'Send reminders'),
  harmless: true,
});
