import { Button, Group, Text } from '@mantine/core';
import { Status } from '../../kit/facts.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { useOutcomeWords } from './invitation-outcome.ts';
import type { InvitationResult } from './invitation-outcome.ts';

interface InvitationResultsProps {
  results: readonly InvitationResult[];
  /** Begins anew with those who were not invited. */
  onAgain: () => void;
  onDone: () => void;
}

/** What became of each. */
export const InvitationResults = ({ results, onAgain, onDone }: InvitationResultsProps) => {
  const t = useText();
  const words = useOutcomeWords();
  const invited = results.filter(({ outcome }) => outcome === 'invited').length;
  const left = results.length - invited;
  return (
    <>
      <Text size="sm" role="status">
        {invited === 0 && t('Keine Einladung ist unterwegs.', 'No invitation is on its way.')}
        {invited === 1 && t('Eine Einladung ist unterwegs.', 'One invitation is on its way.')}
        {invited > 1 && t(`${invited} Einladungen sind unterwegs.`, `${invited} invitations are on their way.`)}{' '}
        {left === 1 && t('Eine Person ist nicht eingeladen.', 'One person is not invited.')}
        {left > 1 && t(`${left} Personen sind nicht eingeladen.`, `${left} people are not invited.`)}
      </Text>
      <DataTable
        label={t('Ergebnis', 'Outcome')}
        rows={results}
        keyOf={({ email }) => email}
        columns={[
          { label: t('E-Mail', 'Email'), cell: ({ email }) => email },
          {
            label: t('Ergebnis', 'Outcome'),
            cell: (result) => {
              const { tone, word, advice } = words(result);
              return (
                <div>
                  <Status tone={tone}>{word}</Status>
                  {advice !== undefined && (
                    <Text size="xs" c="dimmed" mt={2}>
                      {advice}
                    </Text>
                  )}
                </div>
              );
            },
          },
        ]}
        empty={null}
      />
      <Group justify="flex-end">
        {left > 0 && (
          <Button variant="default" onClick={onAgain}>
            {t('Übrige noch einmal', 'Try the others again')}
          </Button>
        )}
        <Button onClick={onDone} data-autofocus>
          {t('Fertig', 'Done')}
        </Button>
      </Group>
    </>
  );
};
