import { Radio, Select, Stack, Text } from '@mantine/core';
import { skipToken, useQueries, useQuery } from '@tanstack/react-query';
import { useContext, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import type { GivenAssignments } from '../../../modules/assignments/schema.ts';
import type { CatalogEntry } from '../../../modules/catalog/schema.ts';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { useBulkActions } from '../../kit/list/bulk-actions.tsx';
import { notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { PageTop } from '../../kit/page/page.tsx';
import { Hint } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { inParts } from '../../server/parts.ts';
import { app, client } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
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
import { assignText, givenText, holdersText, whoGetsText } from './figures.ts';
import { recipientsBy, recipientsFlaw, whoGets, type Recipient, type WhoGets } from './recipients.ts';
import { RecipientsField } from './recipients-field.tsx';

interface NewAssignment extends AssignmentTexts {
  recipients: Recipient[];
  whoGets: WhoGets;
  combination: Combination;
  /** The title that was suggested for the situation. It changes with the situation until the person types a title. */
  proposedTitle: string;
}

type StartBulkAction = ReturnType<typeof useBulkActions>['start'];

interface NewAssignmentDialogProps {
  opened: boolean;
  onClose: () => void;
  /** Members who are chosen already. */
  recipients?: readonly Recipient[];
  /** The first values of the form, for an assignment that follows from something else. Such a form has no draft. */
  filled?: Pick<NewAssignment, 'combination' | 'title' | 'focus_dimension'>;
  /**
   * Gives the assignment to more people than one call accepts. By default the dialog does this, and shows the progress
   * on the page.
   */
  start?: StartBulkAction;
}

export const NewAssignmentDialog = ({ opened, start, ...form }: NewAssignmentDialogProps) => {
  const own = useBulkActions<{ id: string }>(undefined, ({ id }) => id);
  const top = useContext(PageTop);
  return (
    <>
      {top && createPortal(own.outcome, top)}
      <Dialog title={t('Neue Aufgabe', 'New assignment')} opened={opened} onClose={form.onClose} size="lg">
        <NewAssignmentForm {...form} start={start ?? own.start} />
      </Dialog>
    </>
  );
};

type NewAssignmentFormProps = Omit<NewAssignmentDialogProps, 'opened'> & { start: StartBulkAction };

const NewAssignmentForm = ({ onClose, recipients: chosenBefore = [], filled, start }: NewAssignmentFormProps) => {
  const checkTitle = useTitleCheck();
  const max = useQuery(app.reference.limits.queryOptions({})).data?.assignment_recipients;
  const form = useServerForm<NewAssignment, GivenAssignments | undefined>({
    initial: {
      ...noTexts,
      recipients: [...chosenBefore],
      whoGets: 'not open',
      combination: noCombination,
      proposedTitle: filled?.title ?? '',
      ...filled,
    },
    ...(!filled && {
      draft: {
        name: 'new assignment',
        fields: [
          'recipients',
          'whoGets',
          'combination',
          'proposedTitle',
          'title',
          'note',
          'due_date',
          'focus_dimension',
        ],
      },
    }),
    checkWhileTyping: ['title'],
    check: ({ title, recipients: chosenPeople }) => ({
      recipients: recipientsFlaw(chosenPeople, wanted),
      combination: !isComplete && t('Bitte wählen Sie einen Eintrag.', 'Please select an item.'),
      title: checkTitle(title),
    }),
    send: async (values) => {
      const practice = { ...combination, ...textsToSend(values) };
      const member_ids = wanted.map(({ value }) => value);
      if (!isMany) return client.app.assigning.create.mutate({ member_ids, ...practice });
      const unmailed: GivenAssignments['unmailed'] = [];
      start({
        ids: member_ids,
        nameOf: (id) => wanted.find(({ value }) => value === id)?.label ?? id,
        call: async (part) => {
          const given = await client.app.assigning.createMany.mutate({ member_ids: part, ...practice });
          unmailed.push(...given.unmailed);
          return given;
        },
        doneText: (done) => givenText(done, unmailed),
      });
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
  const { recipients, whoGets: who, combination: chosen, title: typedTitle, proposedTitle } = form.values;
  const isMany: boolean = max !== undefined && recipients.length > max;
  const offer = useOffer(isMany || recipients.length === 0 ? teamAlone : recipients.map(({ value }) => value));
  const combination: Combination = offer.isReady ? stillOffered(chosen, offer) : chosen;
  const isComplete = offer.isReady && isCombination(combination);
  const holders = useHolders(recipients, isComplete ? combination : undefined);
  const by = recipientsBy(recipients, holders.data ?? []);
  const wanted: readonly Recipient[] = by[who];
  return (
    <Form form={form} action={assignText(wanted.length)} busy={holders.isLoading} onCancel={onClose}>
      <RecipientsField {...form.field('recipients')} />
      {isMany && (
        <Hint>
          {t(
            'Sie können alles wählen, was für das Team freigegeben ist. Mitglieder, für die etwas davon gesperrt ist, erhalten die Aufgabe nicht und werden danach aufgelistet.',
            'You can choose everything that is allowed for the team. Members whose own policy blocks a part of it don’t get the assignment and are listed afterwards.',
          )}
        </Hint>
      )}
      <CombinationChoice
        offer={offer}
        value={combination}
        missing={form.errors['combination']}
        onChange={(next, situation) => {
          form.setFieldValue('combination', next);
          if (!situation || typedTitle !== proposedTitle) return;
          form.setFieldValue('proposedTitle', situation.name ?? '');
          form.setFieldValue('title', situation.name ?? '');
        }}
      />
      <ProblemAlert error={holders.error} />
      {by['never had'].length < recipients.length && (
        <Radio.Group
          label={holdersText({
            open: recipients.length - by['not open'].length,
            had: recipients.length - by['never had'].length,
          })}
          value={who}
          onChange={(chosen) => form.setFieldValue('whoGets', whoGets.find((one) => one === chosen) ?? who)}
        >
          <Stack gap="xs" mt="xs">
            {whoGets.map((one) => (
              <Radio key={one} value={one} label={whoGetsText(one, by[one].length)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <AssignmentFields form={form} />
    </Form>
  );
};

/** Loads which recipients already have the assignment, or had one of its situation. */
const useHolders = (recipients: readonly Recipient[], combination: Combination | undefined) => {
  const { team } = useSignedIn();
  const ids = recipients.map(({ value }) => value);
  const wanted = ids.length > 0 && team.privacy.member_detail ? combination : undefined;
  return useQuery({
    queryKey: ['holders', ids, wanted],
    queryFn: wanted
      ? async () => {
          const parts = inParts(ids).map((member_ids) => client.app.assigning.holders.query({ member_ids, ...wanted }));
          return (await Promise.all(parts)).flatMap(({ data }) => data);
        }
      : skipToken,
  });
};

/** For `useOffer`, in place of the ids of members. Null stands for the team’s policy alone. */
const teamAlone = [null];

interface CombinationChoiceProps {
  offer: Offer & { isReady: boolean; error: unknown };
  value: Combination;
  /** Shown at the fields in which nothing is chosen. */
  missing: ReactNode;
  onChange: (value: Combination, situation: CatalogEntry | undefined) => void;
}

/**
 * Chooses situation, personality and industry among those that the recipients’ policies and the catalog’s rules allow.
 */
const CombinationChoice = ({ offer, value, missing, onChange }: CombinationChoiceProps) => {
  const { isReady, situations, allowedWith, error } = offer;
  const optionsOf = (entries: readonly CatalogEntry[]) =>
    entries.map(({ id, name }) => ({ value: id, label: name ?? id }));
  const hasSituation = value.situation_id !== '';
  const labels = { personality: t('Persönlichkeit', 'Personality'), industry: t('Branche', 'Industry') };
  const selectFirst = t('Zuerst Situation auswählen', 'Select a situation first');
  const select = t('Bitte auswählen', 'Please select');
  const none = isReady
    ? t('Keine freigegebenen Einträge gefunden', 'No allowed items found')
    : t('Wird geladen …', 'Loading …');
  const field = { required: true, searchable: true };
  if (error) return <ProblemAlert error={error} />;
  return (
    <Stack gap="md">
      <Select
        {...field}
        label={t('Situation', 'Situation')}
        placeholder={select}
        nothingFoundMessage={none}
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
          placeholder={hasSituation ? select : selectFirst}
          nothingFoundMessage={hasSituation ? none : selectFirst}
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
