import { Button, Group, Text } from '@mantine/core';
import { Status } from '../../kit/facts.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import type { Flaw, InvitationList, ListedPerson } from './invitation-list.ts';
import { InvitationsLeft } from './invitations-left.tsx';

interface InvitationPreviewProps {
  list: InvitationList;
  most: number;
  /** How many of the list can be sent. */
  wanted: number;
  isSending: boolean;
  error: unknown;
  onBack: () => void;
  onSend: () => void;
}

/** More lines than this are counted, not shown. */
const shown = 200;

const useFlawWords = (most: number): ((flaw: Flaw) => string) => {
  const t = useText();
  const words: Readonly<Record<Flaw, string>> = {
    email: t('Keine E-Mail-Adresse', 'Not an email address'),
    role: t('Unbekannte Rolle', 'Unknown role'),
    lang: t('Unbekannte Sprache', 'Unknown language'),
    twice: t('Steht schon weiter oben', 'Stands further up already'),
    'too many': t(`Mehr als ${most} auf einmal`, `More than ${most} at once`),
  };
  return (flaw) => words[flaw];
};

/** What will be sent, and what is left out and why. */
export const InvitationPreview = ({
  list: { people, ignored },
  most,
  wanted,
  isSending,
  error,
  onBack,
  onSend,
}: InvitationPreviewProps) => {
  const t = useText();
  const roleName = useRoleName();
  const flawWords = useFlawWords(most);
  const languageOf = ({ lang, invitee }: ListedPerson): string => {
    if (!invitee) return lang || '–';
    if (invitee.lang === null) return t('wie das Team', 'as the team');
    return invitee.lang === 'de' ? t('Deutsch', 'German') : t('Englisch', 'English');
  };
  const left = people.length - wanted;
  return (
    <>
      <Text size="sm" role="status">
        {wanted === 0 && t('Keine Einladung wird gesendet.', 'No invitation will be sent.')}
        {wanted === 1 && t('Eine Einladung wird gesendet.', 'One invitation will be sent.')}
        {wanted > 1 && t(`${wanted} Einladungen werden gesendet.`, `${wanted} invitations will be sent.`)}{' '}
        {left === 1 && t('Eine Zeile bleibt liegen.', 'One line is left out.')}
        {left > 1 && t(`${left} Zeilen werden ausgelassen.`, `${left} lines are left out.`)}{' '}
        {ignored.length > 0 &&
          t(`Nicht beachtete Spalten: ${ignored.join(', ')}.`, `Columns that are ignored: ${ignored.join(', ')}.`)}
      </Text>
      <InvitationsLeft wanted={wanted} />
      <DataTable
        label={t('Vorschau', 'Preview')}
        rows={people.slice(0, shown)}
        keyOf={({ place }) => String(place)}
        columns={[
          { label: t('E-Mail', 'Email'), cell: ({ email }) => email || '–' },
          { label: t('Rolle', 'Role'), cell: ({ role, invitee }) => (invitee ? roleName(invitee.role) : role || '–') },
          { label: t('Sprache', 'Language'), cell: languageOf },
          {
            label: t('Ergebnis', 'Outcome'),
            cell: ({ flaw }) =>
              flaw === undefined ? (
                <Status tone="good">{t('Wird gesendet', 'Will be sent')}</Status>
              ) : (
                <Status tone="bad">{flawWords(flaw)}</Status>
              ),
          },
        ]}
        empty={
          <Empty title={t('In der Liste steht niemand', 'Nobody is in the list')}>
            {t('Gehen Sie zurück und fügen Sie Adressen ein.', 'Go back and paste addresses.')}
          </Empty>
        }
      />
      {people.length > shown && (
        <Text size="sm" c="dimmed">
          {t(`und ${people.length - shown} weitere Zeilen`, `and ${people.length - shown} more lines`)}
        </Text>
      )}
      <ProblemAlert error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          {t('Zurück', 'Back')}
        </Button>
        <Button disabled={wanted === 0} loading={isSending} onClick={onSend}>
          {wanted === 1
            ? t('Eine Person einladen', 'Invite one person')
            : t(`${wanted} Personen einladen`, `Invite ${wanted} people`)}
        </Button>
      </Group>
    </>
  );
};
