import { t } from '../../language/texts.ts';
import { client } from '../../server/server.ts';
import { remindedText } from './figures.ts';

/** Reminders of some assignments, as an action on several rows. */
export const reminding = (ids: readonly string[]) => ({
  ids,
  call: (part: string[]) => client.app.assigning.remindMany.mutate({ assignment_ids: part }),
  doneText: remindedText,
  consequences: t(
    'Jedes Mitglied erhält für jede dieser Aufgaben eine E-Mail, höchstens eine in 24 Stunden. Sie zählen für das Limit der E-Mails pro Tag.',
    'Each member gets an email for each of these assignments, at most one in 24 hours. They count towards the daily limit of emails.',
  ),
  action: t('Erinnerungen senden', 'Send reminders'),
  harmless: true,
});
