import { Stack, Switch } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';

export const WeeklyMail = () => {
  const { team } = useSignedIn();
  const query = useQuery(app.overview.weeklyMail.queryOptions({}));
  // Changes that quickly follow each other are sent one after the other.
  const change = useMutation(app.overview.setWeeklyMail.mutationOptions({ scope: { id: 'weekly mail' } }));
  const wanted = query.data?.wanted;
  return (
    <Panel title={t('Wöchentliche E-Mail', 'Weekly email')}>
      {wanted === undefined ? (
        <Pending query={query} height={60} />
      ) : (
        <Stack>
          <ProblemAlert error={change.error} />
          <Switch
            size="md"
            // Shows the new value at once, and the old one again if the server refuses the change.
            checked={change.isPending ? change.variables.wanted : wanted}
            onChange={({ currentTarget }) => change.mutate({ wanted: currentTarget.checked })}
            label={t(
              `Montags eine E-Mail zum Team „${team.name}“`,
              `An email about the team “${team.name}” on Mondays`,
            )}
            description={t(
              'Wer überfällige Aufgaben hat oder seit 14 Tagen nicht geübt hat, und was letzte Woche geübt wurde. Gibt es nichts zu berichten, wird keine E-Mail gesendet.',
              'Who has overdue assignments or has not practised for 14 days, and what was practised last week. No email is sent if there is nothing to report.',
            )}
            withThumbIndicator={false}
          />
        </Stack>
      )}
    </Panel>
  );
};
