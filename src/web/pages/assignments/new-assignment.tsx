import { MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Choices, CatalogEntry } from '../../../modules/catalog/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import type { FieldProps } from '../../kit/form.tsx';
import { useMembersFound } from '../../kit/members.tsx';
import { notify, ProblemAlert } from '../../kit/messages.tsx';
import { languageNow, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { currentTeam } from '../../session/current-team.ts';
import { AssignmentFields, noTexts, textsToSend, useTitleCheck } from './assignment-form.tsx';

const NewAssignmentForm = ({ onClose }: { onClose: () => void }) => {
  const t = useText();
  const checkTitle = useTitleCheck();
  const [recipients, setRecipients] = useState<string[]>([]);
  const [chosen, setChosen] = useState(noCombination);
  // The title that was proposed for the situation. It changes with the situation until somebody writes another one.
  const [proposedTitle, setProposedTitle] = useState('');
  const offer = useOffer(recipients);
  const combination = offer.isReady ? stillOffered(chosen, offer) : chosen;
  const isComplete = offer.isReady && Object.values(combination).every((id) => id !== '');
  const withoutMail = (count: number): string =>
    count === 1
      ? t(
          'Eine Person bekommt keine Mail, weil das Limit für heute erreicht ist.',
          'One person gets no mail, since today’s limit is reached.',
        )
      : t(
          `${count} Personen bekommen keine Mail, weil das Limit für heute erreicht ist.`,
          `${count} people get no mail, since today’s limit is reached.`,
        );
  const form = useServerForm({
    initial: noTexts,
    checkWhileTyping: true,
    check: ({ title }) => ({
      recipients:
        recipients.length === 0 && t('Wählen Sie mindestens einen Empfänger.', 'Choose at least one recipient.'),
      // Without a message: the fields are required, and say so themselves.
      combination: !isComplete,
      title: checkTitle(title),
    }),
    send: (texts) => app.mutate('assigning.create', { member_ids: recipients, ...combination, ...textsToSend(texts) }),
    onSent: ({ data: { length }, unmailed }) => {
      const created =
        length === 1
          ? t('Die Aufgabe ist vergeben.', 'The assignment is given.')
          : t(`${length} Aufgaben sind vergeben.`, `${length} assignments are given.`);
      const missed = unmailed.filter(({ reason }) => reason !== 'invited').length;
      notify(missed === 0 ? created : `${created} ${withoutMail(missed)}`);
      onClose();
    },
    errorsAt: ({ member_ids: recipientsError, title, note, due_date, focus_dimension }) => ({
      recipients: recipientsError,
      title,
      note,
      due_date,
      focus_dimension,
    }),
  });
  return (
    <Form form={form} action={t('Aufgabe vergeben', 'Give assignment')} onCancel={onClose}>
      <RecipientsChoice
        value={recipients}
        onChange={(ids) => {
          setRecipients(ids);
          form.clearFieldError('recipients');
        }}
        error={form.errors['recipients']}
      />
      <CombinationChoice
        offer={offer}
        recipients={recipients.length}
        value={combination}
        onChange={(next, situation) => {
          setChosen(next);
          if (!situation || form.values.title !== proposedTitle) return;
          setProposedTitle(situation.name ?? '');
          form.setFieldValue('title', situation.name ?? '');
        }}
      />
      <AssignmentFields form={form} />
    </Form>
  );
};

/** Gives an assignment to one or more members. */
export const NewAssignmentDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useText();
  return (
    <Dialog title={t('Neue Aufgabe', 'New assignment')} opened={opened} onClose={onClose} size="lg">
      <NewAssignmentForm onClose={onClose} />
    </Dialog>
  );
};

/** Chooses the recipients among all people of the team, including invited ones. */
const RecipientsChoice = ({ value, onChange, error }: FieldProps<string[]>) => {
  const t = useText();
  const { members, labelOf, search } = useMembersFound();
  const most = app.useQuery('reference.limits', {}).data?.assignment_recipients;
  const isFull = most !== undefined && value.length >= most;
  const offered = isFull ? members.filter(({ id }) => value.includes(id)) : members;
  return (
    <MultiSelect
      label={t('Empfänger', 'Recipients')}
      description={t(
        'Jeder bekommt eine eigene Aufgabe und eine Mail; Eingeladene sehen die Aufgabe, sobald sie angenommen haben. Angeboten wird nur, was die Vorgaben allen erlauben.',
        'Each gets an assignment of their own and a mail; invited people see the assignment once they have accepted. Only what the policies allow all of them is offered.',
      )}
      required
      searchable
      hidePickedOptions
      data-autofocus
      data={offered.map((member) => ({ value: member.id, label: labelOf(member) }))}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      {...(most !== undefined && { maxValues: most })}
      nothingFoundMessage={
        isFull
          ? t(`Mehr als ${most} auf einmal geht nicht.`, `No more than ${most} at once.`)
          : t('Niemand gefunden', 'Nobody found')
      }
      error={error}
    />
  );
};

/** Ids of catalog items; empty while not chosen. */
interface Combination {
  situation_id: string;
  personality_id: string;
  industry_id: string;
}

const noCombination: Combination = { situation_id: '', personality_id: '', industry_id: '' };

type Offer = ReturnType<typeof useOffer>;

/** Removes what is no longer offered from a choice, after a change of the recipients or the situation. */
const stillOffered = (chosen: Combination, { situations, allowedWith }: Offer): Combination => {
  const among = (entries: readonly CatalogEntry[], id: string) => (entries.some((entry) => entry.id === id) ? id : '');
  const situation_id = among(situations, chosen.situation_id);
  if (situation_id === '') return noCombination;
  return {
    situation_id,
    personality_id: among(allowedWith(situation_id, 'personality'), chosen.personality_id),
    industry_id: among(allowedWith(situation_id, 'industry'), chosen.industry_id),
  };
};

interface CombinationChoiceProps {
  offer: Offer;
  recipients: number;
  value: Combination;
  onChange: (value: Combination, situation: CatalogEntry | undefined) => void;
}

/** Chooses situation, personality and industry among those that the recipients’ policies and the catalog’s rules allow. */
const CombinationChoice = ({ offer, recipients, value, onChange }: CombinationChoiceProps) => {
  const t = useText();
  const { isReady, situations, allowedWith, error } = offer;
  const optionsOf = (entries: readonly CatalogEntry[]) =>
    entries.map(({ id, name }) => ({ value: id, label: name ?? id }));
  const hasSituation = value.situation_id !== '';
  const dependent = hasSituation
    ? t('Bitte wählen', 'Please choose')
    : t('Zuerst die Situation', 'The situation first');
  const field = {
    required: true,
    searchable: true,
    nothingFoundMessage: t('Keine erlaubten Einträge gefunden', 'No allowed items found'),
  };
  if (error) return <ProblemAlert error={error} />;
  return (
    <Stack gap="md">
      <Select
        {...field}
        label={t('Situation', 'Situation')}
        placeholder={
          recipients === 0 ? t('Zuerst die Empfänger', 'The recipients first') : t('Bitte wählen', 'Please choose')
        }
        disabled={!isReady}
        data={optionsOf(situations)}
        value={value.situation_id || null}
        onChange={(id) =>
          onChange(
            { ...value, situation_id: id ?? '' },
            situations.find((entry) => entry.id === id),
          )
        }
      />
      {isReady && situations.length === 0 && (
        <Text size="sm" c="var(--warn)">
          {t(
            'Die Vorgaben lassen diesen Empfängern keine gemeinsame Situation.',
            'The policies leave these recipients no situation in common.',
          )}
        </Text>
      )}
      <Select
        {...field}
        label={t('Gegenüber', 'Personality')}
        placeholder={dependent}
        disabled={!hasSituation}
        data={optionsOf(hasSituation ? allowedWith(value.situation_id, 'personality') : [])}
        value={value.personality_id || null}
        onChange={(id) => onChange({ ...value, personality_id: id ?? '' }, undefined)}
      />
      <Select
        {...field}
        label={t('Branche', 'Industry')}
        placeholder={dependent}
        disabled={!hasSituation}
        data={optionsOf(hasSituation ? allowedWith(value.situation_id, 'industry') : [])}
        value={value.industry_id || null}
        onChange={(id) => onChange({ ...value, industry_id: id ?? '' }, undefined)}
      />
    </Stack>
  );
};

/** The items of a dimension that the rules allow with a situation. */
const allowedWith = (choices: Choices, situation: string, dimension: 'personality' | 'industry'): CatalogEntry[] => {
  const rule = choices.rules.find((rule) => rule.situation_id === situation && rule.dimension === dimension);
  if (!rule) return choices[dimension];
  const { only, never } = rule;
  return choices[dimension].filter(({ id }) => (only === null || only.includes(id)) && !never.includes(id));
};

const inAll = ([first = [], ...others]: readonly CatalogEntry[][]): CatalogEntry[] =>
  first.filter(({ id }) => others.every((entries) => entries.some((entry) => entry.id === id)));

/** The catalog items that the policies of all these members allow. */
const useOffer = (memberIds: readonly string[]) => {
  const answers = useQueries({
    queries: memberIds.map((member_id) => ({
      queryKey: ['app', 'catalog.choices', languageNow(), currentTeam(), { member_id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => app.query('catalog.choices', { member_id }, signal),
    })),
  });
  const choices = answers.flatMap(({ data }) => (data ? [data] : []));
  return {
    error: answers.find(({ error }) => error !== null)?.error,
    isReady: memberIds.length > 0 && choices.length === memberIds.length,
    situations: inAll(choices.map(({ situation }) => situation)),
    allowedWith: (situation: string, dimension: 'personality' | 'industry') =>
      inAll(choices.map((choice) => allowedWith(choice, situation, dimension))),
  };
};
