import { Button, Code, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { Status } from '../../kit/facts.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { readInvitations, writeInvitations } from './invitation-list.ts';
import type { InvitationList, Invitee, LineError, ListedPerson } from './invitation-list.ts';
import { InvitationsLeft, useOutcomeTexts } from './invite-one.tsx';
import type { InvitationResult } from './invite-one.tsx';

type Step =
  | { at: 'source' }
  | { at: 'preview'; list: InvitationList }
  | { at: 'results'; results: readonly InvitationResult[] };

const inviteesOf = ({ people }: InvitationList): Invitee[] => people.flatMap(({ invitee }) => invitee ?? []);

/** Invites several people in three steps: enter the list, review it, see the outcomes. */
export const InviteMany = ({ onDone }: { onDone: () => void }) => {
  const [text, setText] = useState('');
  const [step, setStep] = useState<Step>({ at: 'source' });
  const [sent, setSent] = useState<readonly Invitee[]>([]);
  const { data: limits, error, refetch } = app.useQuery('reference.limits', {});
  const invite = app.useMutation('members.invite');
  if (!limits) return <ProblemAlert error={error} retry={() => void refetch()} />;

  const send = (list: InvitationList) => {
    const people = inviteesOf(list);
    setSent(people);
    invite.mutate({ people }, { onSuccess: ({ results }) => setStep({ at: 'results', results }) });
  };
  const startAgainWith = (left: readonly Invitee[]) => {
    setText(writeInvitations(left));
    setStep({ at: 'source' });
  };
  return (
    <Stack>
      {step.at === 'source' && (
        <InvitationSource
          initial={text}
          most={limits.invitations_per_hour}
          onNext={(list) => {
            setText(list);
            setStep({ at: 'preview', list: readInvitations(list, limits.invitations_per_hour) });
          }}
          onCancel={onDone}
        />
      )}
      {step.at === 'preview' && (
        <InvitationPreview
          list={step.list}
          most={limits.invitations_per_hour}
          wanted={inviteesOf(step.list).length}
          isSending={invite.isPending}
          error={invite.error}
          onBack={() => {
            invite.reset();
            setStep({ at: 'source' });
          }}
          onSend={() => send(step.list)}
        />
      )}
      {step.at === 'results' && (
        <InvitationResults
          results={step.results}
          onAgain={() => startAgainWith(sent.filter((_, index) => step.results[index]?.outcome !== 'invited'))}
          onDone={onDone}
        />
      )}
    </Stack>
  );
};

interface InvitationSourceProps {
  initial: string;
  most: number;
  onNext: (text: string) => void;
  onCancel: () => void;
}

/** Takes the list of people: pasted, typed or from a file. */
const InvitationSource = ({ initial, most, onNext, onCancel }: InvitationSourceProps) => {
  const t = useText();
  const form = useForm({ initialValues: { text: initial } });
  const read = async (file: File | null) => {
    if (!file) return;
    try {
      form.setFieldValue('text', await file.text());
    } catch {
      form.setFieldError('text', t('Die Datei ließ sich nicht lesen.', 'The file could not be read.'));
    }
  };
  const isBlank = form.values.text.trim() === '';
  return (
    <form onSubmit={form.onSubmit(({ text }) => onNext(text))}>
      <Stack>
        <Text size="sm">
          {t(
            `Eine Person je Zeile: E-Mail, Rolle und Sprache, getrennt durch Komma, Semikolon oder Tabulator. Rolle und Sprache dürfen fehlen. Höchstens ${most} auf einmal.`,
            `One person per line: email, role and language, separated by comma, semicolon or tab. Role and language may be left out. At most ${most} at once.`,
          )}
        </Text>
        <Code block>{'email,role,lang\nmia.berg@example.com,member,de\njo.smith@example.com,admin,en'}</Code>
        <Textarea
          label={t('Liste', 'List')}
          autosize
          minRows={6}
          maxRows={14}
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('text')}
        />
        <Group justify="space-between">
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            inputProps={{ 'aria-label': t('CSV-Datei', 'CSV file') }}
            onChange={(file) => void read(file)}
          >
            {({ onClick }) => (
              <Button variant="default" leftSection={<IconFileUpload size={16} aria-hidden />} onClick={onClick}>
                {t('CSV-Datei wählen', 'Choose a CSV file')}
              </Button>
            )}
          </FileButton>
          <Group>
            <Button variant="default" onClick={onCancel}>
              {t('Abbrechen', 'Cancel')}
            </Button>
            <Button type="submit" disabled={isBlank}>
              {t('Prüfen', 'Review')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
};

interface InvitationPreviewProps {
  list: InvitationList;
  most: number;
  /** How many invitations can be sent. */
  wanted: number;
  isSending: boolean;
  error: unknown;
  onBack: () => void;
  onSend: () => void;
}

/** The preview shows at most this many lines, and counts the others. */
const maxLines = 200;

const useErrorTexts = (most: number): ((lineError: LineError) => string) => {
  const t = useText();
  const words: Readonly<Record<LineError, string>> = {
    email: t('Keine E-Mail-Adresse', 'Not an email address'),
    role: t('Unbekannte Rolle', 'Unknown role'),
    lang: t('Unbekannte Sprache', 'Unknown language'),
    twice: t('Steht schon weiter oben', 'Already in the list'),
    'too many': t(`Mehr als ${most} auf einmal`, `More than ${most} at once`),
  };
  return (lineError) => words[lineError];
};

/** Shows which invitations will be sent, and which lines are left out and why. */
const InvitationPreview = ({
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
  const errorText = useErrorTexts(most);
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
        {left === 1 && t('Eine Zeile wird ausgelassen.', 'One line is left out.')}
        {left > 1 && t(`${left} Zeilen werden ausgelassen.`, `${left} lines are left out.`)}{' '}
        {ignored.length > 0 &&
          t(`Nicht beachtete Spalten: ${ignored.join(', ')}.`, `Columns that are ignored: ${ignored.join(', ')}.`)}
      </Text>
      <InvitationsLeft wanted={wanted} />
      <DataTable
        label={t('Vorschau', 'Preview')}
        rows={people.slice(0, maxLines)}
        keyOf={({ place }) => String(place)}
        columns={[
          { label: t('E-Mail', 'Email'), cell: ({ email }) => email || '–' },
          { label: t('Rolle', 'Role'), cell: ({ role, invitee }) => (invitee ? roleName(invitee.role) : role || '–') },
          { label: t('Sprache', 'Language'), cell: languageOf },
          {
            label: t('Ergebnis', 'Outcome'),
            cell: ({ error: lineError }) =>
              lineError === undefined ? (
                <Status tone="good">{t('Wird gesendet', 'Will be sent')}</Status>
              ) : (
                <Status tone="bad">{errorText(lineError)}</Status>
              ),
          },
        ]}
        empty={
          <Empty title={t('In der Liste steht niemand', 'Nobody is in the list')}>
            {t('Gehen Sie zurück und fügen Sie Adressen ein.', 'Go back and paste addresses.')}
          </Empty>
        }
      />
      {people.length > maxLines && (
        <Text size="sm" c="dimmed">
          {t(`und ${people.length - maxLines} weitere Zeilen`, `and ${people.length - maxLines} more lines`)}
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

interface InvitationResultsProps {
  results: readonly InvitationResult[];
  /** Starts again with the people who were not invited. */
  onAgain: () => void;
  onDone: () => void;
}

/** The outcome of each invitation. */
const InvitationResults = ({ results, onAgain, onDone }: InvitationResultsProps) => {
  const t = useText();
  const words = useOutcomeTexts();
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
            {t('Übrige erneut einladen', 'Try the others again')}
          </Button>
        )}
        <Button onClick={onDone} data-autofocus>
          {t('Fertig', 'Done')}
        </Button>
      </Group>
    </>
  );
};
