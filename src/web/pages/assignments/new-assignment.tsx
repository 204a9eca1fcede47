import { MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import type { GivenAssignments } from '../../../modules/assignments/schema.ts';
import type { CatalogEntry } from '../../../modules/catalog/schema.ts';
import { number } from '../../kit/text/figures.ts';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, useServerForm, type FieldProps } from '../../kit/form/form.tsx';
import { useMembersFound } from '../../kit/names/members.tsx';
import { notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { AssignmentFields, useTitleCheck } from './assignment-form.tsx';
import { noTexts, textsToSend, type AssignmentTexts } from './assignment-texts.ts';
import {
  isComplete as isCombination,
  noCombination,
  offerFor,
  stillOffered,
  type Combination,
  type Offer,
} from './combination.ts';
import { givenText } from './figures.ts';

interface Recipient {
  value: string;
  label: string;
}

/** A new assignment without its recipients: the combination to practise, title, note, due date and focus. */
export type Practice = Combination & ReturnType<typeof textsToSend>;

/** The values of the form. */
interface NewAssignment extends AssignmentTexts {
  recipients: string[];
  combination: Combination;
  /** The title that was suggested for the situation. It changes with the situation until the person types a title. */
  proposedTitle: string;
}

interface NewAssignmentFormProps {
  onClose: () => void;
  /** Members who are chosen already. */
  recipients?: readonly Recipient[];
  /** Recipients who are too many for one call: the form only collects the practice, and `start` assigns it. */
  many?: { count: number; start: (practice: Practice) => void } | undefined;
  /** Filled in at first, for an assignment that follows from something. It has no draft. */
  filled?: Pick<NewAssignment, 'combination' | 'title' | 'focus_dimension'>;
}

const NewAssignmentForm = ({ onClose, recipients: chosenBefore = [], many, filled }: NewAssignmentFormProps) => {
  const checkTitle = useTitleCheck();
  const form = useServerForm<NewAssignment, GivenAssignments | undefined>({
    initial: {
      ...noTexts,
      recipients: chosenBefore.map(({ value }) => value),
      combination: noCombination,
      proposedTitle: filled?.title ?? '',
      ...filled,
    },
    ...(!filled && {
      draft: {
        name: 'new assignment',
        fields: ['recipients', 'combination', 'proposedTitle', 'title', 'note', 'due_date', 'focus_dimension'],
      },
    }),
    checkWhileTyping: ['title'],
    check: ({ title, recipients: wanted }) => ({
      recipients:
        !many &&
        wanted.length === 0 &&
        t('Wählen Sie mindestens einen Empfänger aus.', 'Select at least one recipient.'),
      combination: !isComplete && t('Bitte wählen Sie einen Eintrag.', 'Please select an item.'),
      title: checkTitle(title),
    }),
    send: async (values) => {
      const practice = { ...combination, ...textsToSend(values) };
      if (!many) return client.app.assigning.create.mutate({ member_ids: values.recipients, ...practice });
      many.start(practice);
      return undefined;
    },
    onSent: (given) => {
      if (given) notify(givenText(given.data.length, given.unmailed));
      onClose();
    },
    errorsAt: ({ member_ids, title, note, due_date, focus_dimension }) => ({
      recipients: member_ids,
      title,
      note,
      due_date,
      focus_dimension,
    }),
  });
  const { recipients, combination: chosen, title: typedTitle, proposedTitle } = form.values;
  const offer = useOffer(many ? teamAlone : recipients);
  const combination: Combination = offer.isReady ? stillOffered(chosen, offer) : chosen;
  const isComplete = offer.isReady && isCombination(combination);
  return (
    <Form form={form} action={t('Aufgabe zuweisen', 'Create assignment')} onCancel={onClose}>
      {many ? (
        <ManyRecipients count={many.count} />
      ) : (
        <RecipientsChoice known={chosenBefore} {...form.field('recipients')} />
      )}
      <CombinationChoice
        offer={offer}
        recipients={many?.count ?? recipients.length}
        value={combination}
        missing={form.errors['combination']}
        onChange={(next, situation) => {
          form.setFieldValue('combination', next);
          if (!situation || typedTitle !== proposedTitle) return;
          form.setFieldValue('proposedTitle', situation.name ?? '');
          form.setFieldValue('title', situation.name ?? '');
        }}
      />
      <AssignmentFields form={form} />
    </Form>
  );
};

/** Gives an assignment to one or more members. */
export const NewAssignmentDialog = ({ opened, ...form }: NewAssignmentFormProps & { opened: boolean }) => (
  <Dialog title={t('Neue Aufgabe', 'New assignment')} opened={opened} onClose={form.onClose} size="lg">
    <NewAssignmentForm {...form} />
  </Dialog>
);

/** Recipients who were selected in a list. */
const ManyRecipients = ({ count }: { count: number }) => (
  <Text size="sm">
    {t(
      `${number(count)} Mitglieder sind ausgewählt. Zur Auswahl steht, was für das Team freigegeben ist. Wem etwas davon gesperrt ist, der erhält die Aufgabe nicht und wird danach genannt.`,
      `${number(count)} members are selected. You can choose what is allowed for the team. Members whose own policy blocks it don’t get the assignment and are listed afterwards.`,
    )}
  </Text>
);

/** Chooses the recipients among all people of the team, including invited ones. */
const RecipientsChoice = ({
  value,
  onChange,
  error,
  known,
}: FieldProps<string[]> & { known: readonly Recipient[] }) => {
  const { members, labelOf, search } = useMembersFound();
  const max = useQuery(app.reference.limits.queryOptions({})).data?.assignment_recipients;
  const isFull = max !== undefined && value.length >= max;
  const found = members.map((member) => ({ value: member.id, label: labelOf(member) }));
  const all = [...found, ...known.filter((one) => !found.some((other) => other.value === one.value))];
  const offered = isFull ? all.filter((one) => value.includes(one.value)) : all;
  const field = useRef<HTMLInputElement>(null);
  const count = useRef(value.length);
  useEffect(() => {
    // The field behind the chosen people may have moved to a new line.
    if (value.length > count.current) field.current?.scrollIntoView({ block: 'nearest' });
    count.current = value.length;
  }, [value.length]);
  return (
    <MultiSelect
      label={t('Empfänger', 'Recipients')}
      description={t(
        'Jede Person erhält eine eigene Aufgabe und eine E-Mail. Eingeladene sehen die Aufgabe, sobald sie die Einladung angenommen haben. Zur Auswahl steht nur, was für alle Empfänger freigegeben ist.',
        'Each person gets their own assignment and an email. Invited people see the assignment once they have accepted. You can choose only what is allowed for all recipients.',
      )}
      required
      searchable
      hidePickedOptions
      data-autofocus
      // It would cover the form, which opens with the focus here.
      openOnFocus={false}
      ref={field}
      // Below or above a field as high as fifty people need, the list to choose from would be out of the window.
      styles={{ pillsList: { maxHeight: 140, overflowY: 'auto' } }}
      data={offered}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      {...(max !== undefined && { maxValues: max })}
      nothingFoundMessage={
        isFull
          ? t(`Höchstens ${max} Empfänger auf einmal.`, `At most ${max} recipients at once.`)
          : t('Keine Treffer', 'No results')
      }
      error={error}
    />
  );
};

/** For `useOffer`: the team’s policy, without that of a member. */
const teamAlone = [null];

interface CombinationChoiceProps {
  offer: Offer & { isReady: boolean; error: unknown };
  recipients: number;
  value: Combination;
  /** Shown at the fields without a choice. */
  missing: ReactNode;
  onChange: (value: Combination, situation: CatalogEntry | undefined) => void;
}

/**
 * Chooses situation, personality and industry among those that the recipients’ policies and the catalog’s rules allow.
 */
const CombinationChoice = ({ offer, recipients, value, missing, onChange }: CombinationChoiceProps) => {
  const { isReady, situations, allowedWith, error } = offer;
  const optionsOf = (entries: readonly CatalogEntry[]) =>
    entries.map(({ id, name }) => ({ value: id, label: name ?? id }));
  const hasSituation = value.situation_id !== '';
  const labels = { personality: t('Persönlichkeit', 'Personality'), industry: t('Branche', 'Industry') };
  const field = {
    required: true,
    searchable: true,
    nothingFoundMessage: t('Keine freigegebenen Einträge gefunden', 'No allowed items found'),
  };
  if (error) return <ProblemAlert error={error} />;
  return (
    <Stack gap="md">
      <Select
        {...field}
        label={t('Situation', 'Situation')}
        placeholder={
          recipients === 0
            ? t('Zuerst Empfänger auswählen', 'Select recipients first')
            : t('Bitte auswählen', 'Please select')
        }
        disabled={!isReady}
        data={optionsOf(situations)}
        value={value.situation_id || null}
        error={value.situation_id === '' && missing}
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
            'Für diese Empfänger ist keine gemeinsame Situation freigegeben.',
            'There is no situation that is allowed for all of these recipients.',
          )}
        </Text>
      )}
      {(['personality', 'industry'] as const).map((dimension) => (
        <Select
          key={dimension}
          {...field}
          label={labels[dimension]}
          placeholder={
            hasSituation
              ? t('Bitte auswählen', 'Please select')
              : t('Zuerst Situation auswählen', 'Select a situation first')
          }
          disabled={!hasSituation}
          data={optionsOf(hasSituation ? allowedWith(value.situation_id, dimension) : [])}
          value={value[`${dimension}_id`] || null}
          error={value[`${dimension}_id`] === '' && missing}
          onChange={(id) => onChange({ ...value, [`${dimension}_id`]: id ?? '' }, undefined)}
        />
      ))}
    </Stack>
  );
};

/** The catalog items that the policies of all these members allow. */
const useOffer = (memberIds: readonly (string | null)[]) => {
  const answers = useQueries({
    queries: memberIds.map((member_id) => app.catalog.choices.queryOptions({ member_id })),
  });
  const choices = answers.flatMap(({ data }) => (data ? [data] : []));
  return {
    error: answers.find(({ error }) => error !== null)?.error,
    isReady: memberIds.length > 0 && choices.length === memberIds.length,
    ...offerFor(choices),
  };
};
