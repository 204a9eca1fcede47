import { Stack, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { SectionPanel } from './sections.tsx';

/** Whether the service reminds members of assignments by itself. */
export const Reminders = ({ isOn }: { isOn: boolean }) => {
  // Changes that quickly follow each other are sent one after the other.
  const change = useMutation(app.team.change.mutationOptions({ scope: { id: 'reminders' } }));
  return (
    <SectionPanel
      section="reminders"
      lead={t(
        'Morgens erhält jede Person eine E-Mail für alle ihre fälligen Aufgaben, in ihrer Sprache. Erledigte und zurückgezogene bleiben außen vor. Die E-Mails zählen für das Limit pro Tag.',
        'In the morning, each person gets one email for all of their due assignments, in their language, without those that are done or withdrawn. The emails count towards the daily limit.',
      )}
    >
      <Stack>
        <ProblemAlert error={change.error} />
        <Switch
          size="md"
          // Shows the new value at once, and the old one again if the server refuses the change.
          checked={change.isPending ? change.variables.reminders_enabled : isOn}
          onChange={({ currentTarget }) => change.mutate({ reminders_enabled: currentTarget.checked })}
          label={t('Automatisch an Aufgaben erinnern', 'Remind people of assignments automatically')}
          description={t(
            'Zwei Tage vor der Fälligkeit und einen Tag danach. Mit einer neuen Fälligkeit wird erneut erinnert.',
            'Two days before the due date and one day after it. A new due date has its own reminders.',
          )}
          withThumbIndicator={false}
        />
      </Stack>
    </SectionPanel>
  );
};
