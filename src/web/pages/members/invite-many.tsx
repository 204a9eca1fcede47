import { Button, Code, FileButton, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFileUpload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import type { InvitationResult } from '../../../modules/members/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { RestoredDraft, useDraft, useUnsentInput } from '../../kit/form/draft.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { number } from '../../kit/text/figures.ts';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import {
  addressesIn,
  partsOf,
  readInvitations,
  writeInvitations,
  type InvitationList,
  type Invitee,
  type KnownAddresses,
  type ReviewedLine,
  type WrittenInvitee,
} from './invitation-list.ts';
import { Folded, InvitationReview, maxLines } from './invitation-review.tsx';
import { moreLinesText, notInvited, outcomesText } from './figures.ts';
import { errorTexts, isSettled, outcomeText } from './invitation-words.ts';

type Step =
  | { at: 'source' }
  | { at: 'review'; list: InvitationList; known: KnownAddresses }
  | {
      at: 'results';
      sent: readonly Invitee[];
      results: readonly InvitationResult[];
      /** The lines that had a mistake and were not sent. */
      left: readonly ReviewedLine[];
      error?: unknown;
    };

/** The maximum of people in one list. */
const maxPeople = 1_000;

/** The people of a list who are already active, invited or waiting for their invitation. */
const knownIn = async (lines: readonly WrittenInvitee[], max: number): Promise<KnownAddresses> => {
  const answers = await Promise.all(
    partsOf(addressesIn(lines).slice(0, maxPeople), max).map((emails) => client.app.members.known.query({ emails })),
  );
  return new Map(answers.flatMap(({ data }) => data.map(({ email, status }) => [email, status])));
};

/**
 * Sends the invitations of a list in parts, as many as one request accepts. If a part fails, the answer has the results
 * of the parts before it. If the first part fails, the error is thrown, because there are no results.
 */
const sendInParts = async (
  people: readonly Invitee[],
  { max, onProgress }: { max: number; onProgress: (done: number) => void },
): Promise<{ results: InvitationResult[]; error?: unknown }> => {
  const results: InvitationResult[] = [];
  while (results.length < people.length) {
    const part = people.slice(results.length, results.length + max);
    try {
      results.push(...(await client.app.members.invite.mutate({ people: part })).results);
    } catch (error) {
      if (results.length === 0) throw error;
      return { results, error };
    }
    onProgress(results.length);
  }
  return { results };
};

/** The lines with a mistake, and the people whose invitations were refused or not sent. */
const restOf = (left: readonly ReviewedLine[], sent: readonly Invitee[], results: readonly InvitationResult[]) => [
  ...left,
  ...sent.filter((_, index) => !isSettled(results[index])),
];

/** Invites several people in three steps: enter the list, review and correct it, see the outcomes. */
export const InviteMany = ({ onDone }: { onDone: () => void }) => {
  const [text, setText] = useState('');
  const [step, setStep] = useState<Step>({ at: 'source' });
  const query = useQuery(app.reference.limits.queryOptions({}));
  const { data: limits } = query;
  const [done, setDone] = useState(0);
  const invite = useMutation({
    mutationFn: (people: readonly Invitee[]) =>
      sendInParts(people, { max: limits?.invitations_per_hour ?? 1, onProgress: setDone }),
  });
  const draft = useDraft({ name: 'invitations', fields: ['text'] }, { text: '' }, (former) =>
    setText(former.text ?? ''),
  );
  useUnsentInput({ isDirty: () => draft.isKept() || step.at === 'review', drop: draft.drop });
  if (!limits) return <Pending query={query} height={320} />;

  const send = (people: Invitee[], left: readonly ReviewedLine[]) => {
    setDone(0);
    invite.mutate(people, {
      onSuccess: ({ results, error }) => {
        const rest = restOf(left, people, results);
        // Lines that were not sent are kept when the dialog closes.
        if (rest.length > 0) draft.keep({ text: writeInvitations(rest) });
        else draft.drop();
        setStep({ at: 'results', sent: people, results, left, error });
      },
    });
  };
  const startAgainWith = (list: string) => {
    setText(list);
    setStep({ at: 'source' });
  };
  return (
    <Stack>
      {step.at === 'source' && (
        <InvitationSource
          key={draft.restoredFrom}
          initial={text}
          restored={
            draft.restoredFrom !== undefined && (
              <RestoredDraft
                onDiscard={() => {
                  draft.drop();
                  setText('');
                }}
              />
            )
          }
          onType={(list) => draft.keep({ text: list })}
          max={maxPeople}
          onNext={async (written) => {
            setText(written);
            const list = readInvitations(written);
            const known = await knownIn(list.lines, limits.addresses_looked_up);
            setStep({ at: 'review', list, known });
          }}
          onCancel={() => {
            draft.drop();
            onDone();
          }}
        />
      )}
      {step.at === 'review' && (
        <InvitationReview
          list={step.list}
          knownAtFirst={step.known}
          lookUp={(line) => knownIn([line], limits.addresses_looked_up)}
          max={maxPeople}
          isSending={invite.isPending}
          done={done}
          error={invite.error}
          onBack={(lines) => {
            invite.reset();
            startAgainWith(lines === step.list.lines ? text : writeInvitations(lines));
          }}
          onSend={send}
        />
      )}
      {step.at === 'results' && (
        <InvitationResults
          {...step}
          max={maxPeople}
          onAgain={() => startAgainWith(writeInvitations(restOf(step.left, step.sent, step.results)))}
          onDone={onDone}
        />
      )}
    </Stack>
  );
};

interface InvitationSourceProps {
  initial: string;
  /** Says that the list is a draft from an earlier visit. */
  restored: ReactNode;
  max: number;
  onType: (text: string) => void;
  onNext: (text: string) => Promise<void>;
  onCancel: () => void;
}

/** The step in which the list of people is entered: pasted, typed or from a file. A file is reviewed at once. */
const InvitationSource = ({ initial, restored, max, onType, onNext, onCancel }: InvitationSourceProps) => {
  const form = useForm({ initialValues: { text: initial }, onValuesChange: ({ text }) => onType(text) });
  const reading = useMutation({ mutationFn: onNext, onSuccess: () => undefined });
  const read = async (file: File | null) => {
    if (!file) return;
    try {
      const text = await file.text();
      form.setFieldValue('text', text);
      if (text.trim() !== '') reading.mutate(text);
    } catch {
      form.setFieldError('text', t('Die Datei konnte nicht gelesen werden.', 'The file could not be read.'));
    }
  };
  const id = useId();
  return (
    <form id={id} noValidate onSubmit={form.onSubmit(({ text }) => reading.mutate(text))}>
      <Stack>
        {restored}
        <Text size="sm">
          {t(
            `Eine Person pro Zeile: E-Mail, Rolle und Sprache, getrennt durch Komma, Semikolon oder Tabulator. Rolle, Sprache und die Kopfzeile sind optional. Ein Name davor wird angezeigt, bis die Person einen eigenen hat. Mit einer Kopfzeile kann die Spalte external_id die ID der Person in Ihrem eigenen System enthalten, einen beliebigen Text. Höchstens ${number(max)} Personen auf einmal.`,
            `One person per line: email, role and language, separated by comma, semicolon or tab. Role, language and the header row are optional. A name before the address is shown until the person has one of their own. With a header row, the column external_id can have the person’s ID in your own system, which is any text. At most ${number(max)} people at once.`,
          )}
        </Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {
            'name,email,role,lang,external_id\nMia Berg,mia.berg@example.com,member,de,E-1042\nJo Smith,jo.smith@example.com,admin,en,'
          }
        </Code>
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
        <DialogButtons>
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            inputProps={{ 'aria-label': t('CSV-Datei', 'CSV file') }}
            onChange={(file) => void read(file)}
          >
            {({ onClick }) => (
              <Button
                mr="auto"
                w={{ base: '100%', xs: 'auto' }}
                leftSection={<IconFileUpload size={16} aria-hidden />}
                onClick={onClick}
              >
                {t('CSV-Datei wählen', 'Choose CSV file')}
              </Button>
            )}
          </FileButton>
          <Button onClick={onCancel}>{t('Abbrechen', 'Cancel')}</Button>
          <Button
            variant="filled"
            type="submit"
            form={id}
            disabled={form.values.text.trim() === ''}
            loading={reading.isPending}
          >
            {t('Prüfen', 'Review')}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
};

interface InvitationResultsProps {
  sent: readonly Invitee[];
  /** In the order of `sent`. If a request failed, the last people have no result. */
  results: readonly InvitationResult[];
  left: readonly ReviewedLine[];
  max: number;
  error?: unknown;
  /** Starts again with the people who were not invited. */
  onAgain: () => void;
  onDone: () => void;
}

const InvitationResults = ({ sent, results, left, max, error, onAgain, onDone }: InvitationResultsProps) => {
  const countOf = (wanted: InvitationResult['outcome']): number =>
    results.filter(({ outcome }) => outcome === wanted).length;
  const outcomes = { invited: countOf('invited'), waiting: countOf('waiting'), all: sent.length + left.length };
  const textOf = errorTexts(max);
  const exceptions = [
    ...left.map((line) => ({
      key: `line ${line.place}`,
      email: line.email,
      tone: 'bad' as const,
      word: textOf(line),
      advice: undefined,
    })),
    ...results
      .filter((one) => !isSettled(one))
      .map((one) => ({ key: one.email, email: one.email, advice: undefined, ...outcomeText(one) })),
  ];
  const names = new Map(sent.map(({ email, name }) => [email, name]));
  const settled = results.filter(isSettled);
  return (
    <>
      <Text size="sm" role="status">
        {outcomesText(outcomes)}
      </Text>
      <ProblemAlert error={error} />
      {exceptions.length > 0 && (
        <DataTable
          label={t('Ergebnis', 'Result')}
          list={{ rows: exceptions.slice(0, maxLines) }}
          keyOf={({ key }) => key}
          columns={[
            { label: t('E-Mail', 'Email'), cell: ({ email }) => email || '–' },
            {
              label: t('Ergebnis', 'Result'),
              cell: ({ tone, word, advice }) => (
                <div>
                  <Status tone={tone}>{word}</Status>
                  {advice !== undefined && (
                    <Hint size="xs" mt={2}>
                      {advice}
                    </Hint>
                  )}
                </div>
              ),
            },
          ]}
        />
      )}
      {exceptions.length > maxLines && <Hint>{moreLinesText(exceptions.length - maxLines)}</Hint>}
      {settled.length > 0 && (
        <Folded
          summary={t(
            `${number(settled.length)} ohne weiteren Schritt`,
            `${number(settled.length)} that need nothing more`,
          )}
          people={settled.map((one) => ({ ...one, name: names.get(one.email), about: outcomeText(one).word }))}
          open={exceptions.length === 0}
        />
      )}
      <DialogButtons>
        {notInvited(outcomes) > 0 && <Button onClick={onAgain}>{t('Rest bearbeiten', 'Edit the rest')}</Button>}
        <Button variant="filled" onClick={onDone} autoFocus>
          {t('Fertig', 'Done')}
        </Button>
      </DialogButtons>
    </>
  );
};
