import { Button, Code, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogButtons } from '../../kit/dialog-buttons.tsx';
import { useDraft } from '../../kit/draft.tsx';
import { Status } from '../../kit/facts.tsx';
import { useRoleName } from '../../kit/members.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Pending } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { addressesIn, readInvitations, writeInvitations } from './invitation-list.ts';
import type { InvitationList, Invitee, KnownAddresses, LineError, ListedPerson } from './invitation-list.ts';
import { InvitationsLeft, useOutcomeTexts } from './invite-one.tsx';
import type { InvitationResult } from './invite-one.tsx';

type Step =
  | { at: 'source' }
  | { at: 'preview'; list: InvitationList }
  | { at: 'results'; results: readonly InvitationResult[] };

const inviteesOf = ({ people }: InvitationList): Invitee[] => people.flatMap(({ invitee }) => invitee ?? []);

/** The number of addresses that one request looks up, so that they fit into a URL. */
const lookedUp = 1_000;
const partCharacters = 3_000;

const partsOf = (addresses: readonly string[], most: number): string[][] => {
  const parts: string[][] = [];
  let room = 0;
  for (const address of addresses.slice(0, lookedUp)) {
    const part = parts.at(-1);
    room -= address.length;
    if (part === undefined || room < 0 || part.length >= most) {
      parts.push([address]);
      room = partCharacters - address.length;
    } else part.push(address);
  }
  return parts;
};

/** The people of a list who are already in the team. */
const knownIn = async (text: string, most: number): Promise<KnownAddresses> => {
  const answers = await Promise.all(
    partsOf(addressesIn(text), most).map((emails) => client.app.members.known.query({ emails })),
  );
  return new Map(answers.flatMap(({ data }) => data.map(({ email, status }) => [email, status])));
};

/** Invites several people in three steps: enter the list, review it, see the outcomes. */
export const InviteMany = ({ onDone }: { onDone: () => void }) => {
  const [text, setText] = useState('');
  const [step, setStep] = useState<Step>({ at: 'source' });
  const [sent, setSent] = useState<readonly Invitee[]>([]);
  const query = useQuery(app.reference.limits.queryOptions({}));
  const { data: limits } = query;
  const invite = useMutation(app.members.invite.mutationOptions());
  const draft = useDraft({ name: 'invitations', fields: ['text'] }, { text: '' }, (former) =>
    setText(former.text ?? ''),
  );
  if (!limits) return <Pending query={query} height={320} />;

  const send = (list: InvitationList) => {
    const people = inviteesOf(list);
    setSent(people);
    invite.mutate(
      { people },
      {
        onSuccess: ({ results }) => {
          draft.drop();
          setStep({ at: 'results', results });
        },
      },
    );
  };
  const startAgainWith = (left: readonly Invitee[]) => {
    setText(writeInvitations(left));
    setStep({ at: 'source' });
  };
  return (
    <Stack>
      {step.at === 'source' && (
        <InvitationSource
          key={draft.restoredFrom}
          initial={text}
          onType={(list) => draft.keep({ text: list })}
          most={limits.invitations_per_hour}
          onNext={async (list) => {
            setText(list);
            const known = await knownIn(list, limits.addresses_looked_up);
            setStep({ at: 'preview', list: readInvitations(list, limits.invitations_per_hour, known) });
          }}
          onCancel={() => {
            draft.drop();
            onDone();
          }}
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
  onType: (text: string) => void;
  onNext: (text: string) => Promise<void>;
  onCancel: () => void;
}

/** Takes the list of people: pasted, typed or from a file. */
const InvitationSource = ({ initial, most, onType, onNext, onCancel }: InvitationSourceProps) => {
  const t = useText();
  const form = useForm({ initialValues: { text: initial }, onValuesChange: ({ text }) => onType(text) });
  const read = async (file: File | null) => {
    if (!file) return;
    try {
      form.setFieldValue('text', await file.text());
    } catch {
      form.setFieldError('text', t('Die Datei konnte nicht gelesen werden.', 'The file could not be read.'));
    }
  };
  const reading = useMutation({ mutationFn: onNext, onSuccess: () => undefined });
  return (
    <form noValidate onSubmit={form.onSubmit(({ text }) => reading.mutate(text))}>
      <Stack>
        <Text size="sm">
          {t(
            `Eine Person pro Zeile: E-Mail, Rolle und Sprache, getrennt durch Komma, Semikolon oder Tabulator. Rolle und Sprache sind optional. Höchstens ${most} Personen auf einmal.`,
            `One person per line: email, role and language, separated by comma, semicolon or tab. Role and language are optional. At most ${most} people at once.`,
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
        <ProblemAlert error={reading.error} />
        <Group justify="space-between">
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            inputProps={{ 'aria-label': t('CSV-Datei', 'CSV file') }}
            onChange={(file) => void read(file)}
          >
            {({ onClick }) => (
              <Button variant="default" leftSection={<IconFileUpload size={16} aria-hidden />} onClick={onClick}>
                {t('CSV-Datei wählen', 'Choose CSV file')}
              </Button>
            )}
          </FileButton>
          <Group>
            <Button variant="default" onClick={onCancel}>
              {t('Abbrechen', 'Cancel')}
            </Button>
            <Button type="submit" disabled={form.values.text.trim() === ''} loading={reading.isPending}>
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

/** Reasons that are no mistakes: nothing is left to do for these lines. */
const isKnown = (lineError: LineError): boolean => lineError === 'member' || lineError === 'invited';

/** The preview shows at most this many lines, and counts the others. */
const maxLines = 200;

const useErrorTexts = (most: number): ((lineError: LineError) => string) => {
  const t = useText();
  const words: Readonly<Record<LineError, string>> = {
    email: t('Ungültige E-Mail-Adresse', 'Invalid email address'),
    role: t('Unbekannte Rolle', 'Unknown role'),
    lang: t('Unbekannte Sprache', 'Unknown language'),
    twice: t('Doppelter Eintrag', 'Duplicate entry'),
    member: t('Bereits Mitglied', 'Already a member'),
    invited: t('Bereits eingeladen', 'Already invited'),
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
    if (invitee.lang === null) return t('Sprache des Teams', 'Team language');
    return invitee.lang === 'de' ? t('Deutsch', 'German') : t('Englisch', 'English');
  };
  const left = people.length - wanted;
  return (
    <>
      <Text size="sm" role="status">
        {wanted === 0 && t('Es werden keine Einladungen gesendet.', 'No invitations will be sent.')}
        {wanted === 1 && t('1 Einladung wird gesendet.', '1 invitation will be sent.')}
        {wanted > 1 && t(`${wanted} Einladungen werden gesendet.`, `${wanted} invitations will be sent.`)}{' '}
        {left === 1 && t('1 Zeile wird übersprungen.', '1 line will be skipped.')}
        {left > 1 && t(`${left} Zeilen werden übersprungen.`, `${left} lines will be skipped.`)}{' '}
        {ignored.length > 0 &&
          t(`Ignorierte Spalten: ${ignored.join(', ')}.`, `Ignored columns: ${ignored.join(', ')}.`)}
      </Text>
      <InvitationsLeft wanted={wanted} />
      <DataTable
        label={t('Vorschau', 'Preview')}
        list={{ rows: people.slice(0, maxLines) }}
        keyOf={({ place }) => String(place)}
        columns={[
          { label: t('E-Mail', 'Email'), cell: ({ email }) => email || '–' },
          { label: t('Rolle', 'Role'), cell: ({ role, invitee }) => (invitee ? roleName(invitee.role) : role || '–') },
          { label: t('Sprache', 'Language'), cell: languageOf },
          {
            label: t('Ergebnis', 'Result'),
            cell: ({ error: lineError }) =>
              lineError === undefined ? (
                <Status tone="good">{t('Wird gesendet', 'Will be sent')}</Status>
              ) : (
                <Status tone={isKnown(lineError) ? 'plain' : 'bad'}>{errorText(lineError)}</Status>
              ),
          },
        ]}
        none={t('Die Liste ist leer', 'The list is empty')}
        hint={t('Gehen Sie zurück und fügen Sie E-Mail-Adressen ein.', 'Go back and add email addresses.')}
      />
      {people.length > maxLines && (
        <Text size="sm" c="dimmed">
          {t(`und ${people.length - maxLines} weitere Zeilen`, `and ${people.length - maxLines} more lines`)}
        </Text>
      )}
      <ProblemAlert error={error} />
      <DialogButtons>
        <Button variant="default" onClick={onBack}>
          {t('Zurück', 'Back')}
        </Button>
        <Button disabled={wanted === 0} loading={isSending} onClick={onSend}>
          {wanted === 1
            ? t('1 Person einladen', 'Invite 1 person')
            : t(`${wanted} Personen einladen`, `Invite ${wanted} people`)}
        </Button>
      </DialogButtons>
    </>
  );
};

interface InvitationResultsProps {
  results: readonly InvitationResult[];
  /** Starts again with the people who were not invited. */
  onAgain: () => void;
  onDone: () => void;
}

const InvitationResults = ({ results, onAgain, onDone }: InvitationResultsProps) => {
  const t = useText();
  const words = useOutcomeTexts();
  const invited = results.filter(({ outcome }) => outcome === 'invited').length;
  const left = results.length - invited;
  return (
    <>
      <Text size="sm" role="status">
        {invited === 0 && t('Es wurden keine Einladungen gesendet.', 'No invitations were sent.')}
        {invited === 1 && t('1 Einladung gesendet.', '1 invitation sent.')}
        {invited > 1 && t(`${invited} Einladungen gesendet.`, `${invited} invitations sent.`)}{' '}
        {left === 1 && t('1 Person wurde nicht eingeladen.', '1 person was not invited.')}
        {left > 1 && t(`${left} Personen wurden nicht eingeladen.`, `${left} people were not invited.`)}
      </Text>
      <DataTable
        label={t('Ergebnis', 'Result')}
        list={{ rows: results }}
        keyOf={({ email }) => email}
        columns={[
          { label: t('E-Mail', 'Email'), cell: ({ email }) => email },
          {
            label: t('Ergebnis', 'Result'),
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
      />
      <DialogButtons>
        {left > 0 && (
          <Button variant="default" onClick={onAgain}>
            {t('Einladung erneut versuchen', 'Retry the rest')}
          </Button>
        )}
        <Button onClick={onDone} data-autofocus>
          {t('Fertig', 'Done')}
        </Button>
      </DialogButtons>
    </>
  );
};
