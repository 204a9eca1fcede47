import { MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { CatalogEntry, Choices } from '../../../modules/catalog/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { useMembersFound } from '../../kit/members.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { languageNow, useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { currentTeam } from '../../session/current-team.ts';
import { asSent, noText, PracticeFields, useTitleFlaw } from './assignment-form.tsx';

const NewAssignment = ({ onClose }: { onClose: () => void }) => {
  const t = useText();
  const create = app.useChange('assigning.create');
  const flawOf = useTitleFlaw();
  const [recipients, setRecipients] = useState<string[]>([]);
  const [chosen, setChosen] = useState(noCombination);
  const [text, setText] = useState(noText);
  // The title that came with the situation: it follows the situation until somebody writes their own.
  const [proposed, setProposed] = useState('');
  const [tried, setTried] = useState(false);
  const offer = useOffer(recipients);
  const combination = offer.isReady ? stillOffered(chosen, offer) : chosen;
  const isWhole = recipients.length > 0 && offer.isReady && Object.values(combination).every((id) => id !== '');
  const flaws = flawsByField(problemOf(create.error));
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

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isWhole || flawOf(text.title) !== undefined) return;
    create.mutate(
      { member_ids: recipients, ...combination, ...asSent(text) },
      {
        onSuccess: ({ data: { length }, unmailed }) => {
          const given =
            length === 1
              ? t('Die Aufgabe ist vergeben.', 'The assignment is given.')
              : t(`${length} Aufgaben sind vergeben.`, `${length} assignments are given.`);
          const left = unmailed.filter(({ reason }) => reason !== 'invited').length;
          tell(left === 0 ? given : `${given} ${withoutMail(left)}`);
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <RecipientsChoice
          value={recipients}
          onChange={setRecipients}
          error={
            tried && recipients.length === 0
              ? t('Wählen Sie mindestens einen Empfänger.', 'Choose at least one recipient.')
              : flaws['member_ids']
          }
        />
        <CombinationChoice
          offer={offer}
          recipients={recipients.length}
          value={combination}
          onChange={(next, situation) => {
            setChosen(next);
            if (!situation || text.title !== proposed) return;
            setProposed(situation.name ?? '');
            setText({ ...text, title: situation.name ?? '' });
          }}
        />
        <PracticeFields value={text} onChange={setText} flaws={flaws} />
        <ProblemAlert error={create.error} />
        <DialogButtons
          action={t('Aufgabe vergeben', 'Give assignment')}
          running={create.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Gives one or several members something to practise. */
export const NewAssignmentDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useText();
  return (
    <Dialog title={t('Neue Aufgabe', 'New assignment')} opened={opened} onClose={onClose} size="lg">
      <NewAssignment onClose={onClose} />
    </Dialog>
  );
};

interface RecipientsChoiceProps {
  value: string[];
  onChange: (memberIds: string[]) => void;
  error: string | undefined;
}

/** Chooses who gets something to practise: anybody in the team, also who is invited and not there yet. */
const RecipientsChoice = ({ value, onChange, error }: RecipientsChoiceProps) => {
  const t = useText();
  const { members, labelOf, search } = useMembersFound();
  const most = app.useAnswer('reference.limits', {}).data?.assignment_recipients;
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

/** What is practised, with whom and where; empty while it is not chosen. */
interface Combination {
  situation_id: string;
  personality_id: string;
  industry_id: string;
}

const noCombination: Combination = { situation_id: '', personality_id: '', industry_id: '' };

type Offer = ReturnType<typeof useOffer>;

/** What of a choice is on offer still: other recipients or another situation may not go with it. */
const stillOffered = (chosen: Combination, { situations, goingWith }: Offer): Combination => {
  const among = (entries: readonly CatalogEntry[], id: string) => (entries.some((entry) => entry.id === id) ? id : '');
  const situation_id = among(situations, chosen.situation_id);
  if (situation_id === '') return noCombination;
  return {
    situation_id,
    personality_id: among(goingWith(situation_id, 'personality'), chosen.personality_id),
    industry_id: among(goingWith(situation_id, 'industry'), chosen.industry_id),
  };
};

interface CombinationChoiceProps {
  offer: Offer;
  recipients: number;
  value: Combination;
  onChange: (value: Combination, situation: CatalogEntry | undefined) => void;
}

/** Offers only what the recipients’ policies and the catalog’s rules allow. */
const CombinationChoice = ({ offer, recipients, value, onChange }: CombinationChoiceProps) => {
  const t = useText();
  const { isReady, situations, goingWith, error } = offer;
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
        data={optionsOf(hasSituation ? goingWith(value.situation_id, 'personality') : [])}
        value={value.personality_id || null}
        onChange={(id) => onChange({ ...value, personality_id: id ?? '' }, undefined)}
      />
      <Select
        {...field}
        label={t('Branche', 'Industry')}
        placeholder={dependent}
        disabled={!hasSituation}
        data={optionsOf(hasSituation ? goingWith(value.situation_id, 'industry') : [])}
        value={value.industry_id || null}
        onChange={(id) => onChange({ ...value, industry_id: id ?? '' }, undefined)}
      />
    </Stack>
  );
};

/** What the rules leave of a dimension for a situation. */
const goingWith = (choices: Choices, situation: string, dimension: 'personality' | 'industry'): CatalogEntry[] => {
  const rule = choices.rules.find((rule) => rule.situation_id === situation && rule.dimension === dimension);
  if (!rule) return choices[dimension];
  const { only, never } = rule;
  return choices[dimension].filter(({ id }) => (only === null || only.includes(id)) && !never.includes(id));
};

const inAll = ([first = [], ...others]: readonly CatalogEntry[][]): CatalogEntry[] =>
  first.filter(({ id }) => others.every((entries) => entries.some((entry) => entry.id === id)));

/** What every one of some members may be given: what all their policies leave. */
const useOffer = (memberIds: readonly string[]) => {
  const answers = useQueries({
    queries: memberIds.map((member_id) => ({
      queryKey: ['app', 'catalog.choices', languageNow(), currentTeam(), { member_id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => app.ask('catalog.choices', { member_id }, signal),
    })),
  });
  const choices = answers.flatMap(({ data }) => (data ? [data] : []));
  return {
    error: answers.find(({ error }) => error !== null)?.error,
    isReady: memberIds.length > 0 && choices.length === memberIds.length,
    situations: inAll(choices.map(({ situation }) => situation)),
    goingWith: (situation: string, dimension: 'personality' | 'industry') =>
      inAll(choices.map((choice) => goingWith(choice, situation, dimension))),
  };
};
