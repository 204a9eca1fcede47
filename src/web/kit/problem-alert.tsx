import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useText } from '../language/language.ts';
import type { Say } from '../language/language.ts';
import { problemOf } from '../server/problem.ts';
import type { AppProblem } from '../server/problem.ts';
import { Notice } from './notice.tsx';
import { useWait } from './wait.ts';

/** What to do about it, where that is not plain from the problem's title. */
const adviceOn = ({ code, field }: Partial<AppProblem>, t: Say): string | undefined => {
  if (field === 'webhook_endpoints') {
    return t(
      'Ihr Team hat schon so viele Endpunkte, wie es haben kann. Löschen Sie einen, den Sie nicht mehr brauchen.',
      'Your team has as many endpoints as it can have. Delete one that you no longer need.',
    );
  }
  if (code === 'last_admin') {
    return t(
      'Ein Team hat immer mindestens einen aktiven Admin. Machen Sie zuerst ein anderes Mitglied zum Admin.',
      'A team always has at least one active admin. Make another member an admin first.',
    );
  }
  if (code === 'owner') {
    return t(
      'Der Inhaber lässt sich weder ändern noch entfernen. Er kann das Team aber jemandem übergeben.',
      'The owner can be neither changed nor removed, but can hand the team over to somebody.',
    );
  }
  if (code === 'seat_limit_reached') {
    return t(
      'Inhaber, aktive und eingeladene Mitglieder belegen je einen Platz. Entfernen Sie jemanden oder ziehen Sie eine Einladung zurück.',
      'The owner, active and invited members take a seat each. Remove somebody or withdraw an invitation.',
    );
  }
  return undefined;
};

interface ProblemAlertProps {
  error: unknown;
  /** Offers to try again. */
  retry?: () => void;
}

/** What went wrong in words, with the id under which the operator finds it. */
export const ProblemAlert = ({ error, retry }: ProblemAlertProps) => {
  const t = useText();
  const inWords = useWait();
  if (error === null || error === undefined) return null;
  const problem = problemOf(error);
  const wait = problem?.retry_after;
  const advice = adviceOn(problem ?? {}, t);
  return (
    <Notice
      tone="bad"
      role="alert"
      title={problem?.title ?? t('Der Server ist nicht erreichbar', 'The server can’t be reached')}
    >
      <Stack gap="xs">
        {wait !== undefined && (
          <Text size="sm">
            {t(`Bitte versuchen Sie es ${inWords(wait)} noch einmal.`, `Please try again ${inWords(wait)}.`)}
          </Text>
        )}
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        {advice === undefined && problem?.detail !== undefined && (
          <Text size="sm" lang="en">
            {problem.detail}
          </Text>
        )}
        <Group gap="md">
          {problem && problem.request_id !== '' && (
            <Text size="xs" c="dimmed">
              {t('Anfrage-ID', 'Request id')}: <Code>{problem.request_id}</Code>
            </Text>
          )}
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              {t('Noch einmal versuchen', 'Try again')}
            </Button>
          )}
        </Group>
      </Stack>
    </Notice>
  );
};
