import { Box, Button, Collapse, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import type { FieldProps } from '../../kit/form/form.tsx';
import { FilterSelect, optionsOf } from '../../kit/list/filters.tsx';
import { useMembersFound } from '../../kit/names/members.tsx';
import { roleNames, statusNames } from '../../kit/names/member-words.ts';
import { FoldButton } from '../../kit/page/fold-button.tsx';
import { notifyProblem } from '../../kit/page/messages.tsx';
import { Hint } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { readAllMembers } from '../members/all-members.ts';
import { addText, inactiveText, people } from './figures.ts';
import { matchingOf, noFilter, recipientOf, withMore, type PeopleFilter, type Recipient } from './recipients.ts';

/** How many names are shown at once. If there are more people, their number is shown. */
const shownNames = 5;

/** Chooses recipients among all people of the team, including invited ones: one by one, or all who match filters. */
export const RecipientsField = ({ value, onChange, error }: FieldProps<Recipient[]>) => {
  const { members, labelOf, search } = useMembersFound();
  const [typed, setTyped] = useState('');
  /** The filter by which all of these recipients were added, in words. */
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const found = members.filter(({ id }) => !value.some((one) => one.value === id));
  const type = (text: string): void => {
    setTyped(text);
    search(text);
  };
  const add = (more: readonly Recipient[], by = ''): void => {
    setWords(value.length === 0 ? by : '');
    onChange(withMore(value, more));
  };
  return (
    <Stack gap="xs">
      <Select
        ref={field}
        label={t('Empfänger', 'Recipients')}
        description={t(
          'Jede Person erhält eine eigene Aufgabe und eine E-Mail. Eingeladene sehen die Aufgabe, sobald sie die Einladung angenommen haben.',
          'Each person gets their own assignment and an email. Invited people see the assignment once they have accepted.',
        )}
        placeholder={t('Name oder E-Mail', 'Name or email')}
        required
        searchable
        data-autofocus
        // An open list would cover the form, which opens with the focus on this field.
        openOnFocus={false}
        data={found.map((member) => ({ value: member.id, label: labelOf(member) }))}
        value={null}
        searchValue={typed}
        onSearchChange={type}
        onChange={(id) => {
          add(found.filter((one) => one.id === id).map(recipientOf));
          type('');
        }}
        nothingFoundMessage={t('Keine Treffer', 'No results')}
        error={error}
      />
      <PeopleByFilter onAdd={add} />
      <Chosen
        value={value}
        words={words}
        onChange={(left) => {
          onChange(left);
          // The button that had the focus is gone, and no other button replaces it.
          if (left.at(-1) !== value.at(-1)) field.current?.focus();
        }}
      />
    </Stack>
  );
};

interface PeopleByFilterProps {
  /** `by`: the filters in words. */
  onAdd: (found: Recipient[], by: string) => void;
}

/** Adds everybody who matches filters. */
const PeopleByFilter = ({ onAdd }: PeopleByFilterProps) => {
  const { team } = useSignedIn();
  const id = useId();
  const [isOpen, { toggle, close }] = useDisclosure();
  const [filter, setFilter] = useState<PeopleFilter>(noFilter);
  const fields: { name: keyof PeopleFilter; label: string; options: { value: string; label: string }[] }[] = [
    { name: 'role', label: t('Rolle', 'Role'), options: optionsOf(roleNames()) },
    { name: 'status', label: t('Status', 'Status'), options: optionsOf(statusNames()) },
  ];
  if (team.privacy.member_detail) {
    const options = [7, 14, 30, 60, 90].map((days) => ({ value: String(days), label: inactiveText(days) }));
    fields.push({ name: 'days', label: t('Übung', 'Practice'), options });
  }
  const matching = matchingOf(filter);
  const { data: count } = useQuery(app.members.count.queryOptions(matching, { enabled: isOpen }));
  const { mutate: addAll, isPending } = useMutation({
    mutationFn: () => readAllMembers(matching),
    onSuccess: (found) => {
      const words = fields.flatMap(
        ({ name, options }) => options.find(({ value }) => value === filter[name])?.label ?? [],
      );
      onAdd(found.map(recipientOf), words.join(', '));
      setFilter(noFilter);
      close();
    },
    onError: notifyProblem,
  });
  return (
    <div>
      <FoldButton variant="subtle" isOpen={isOpen} aria-controls={id} onClick={toggle}>
        {t('Alle, auf die Filter zutreffen', 'Everybody who matches filters')}
      </FoldButton>
      <Box id={id}>
        <Collapse expanded={isOpen} keepMounted={false}>
          <Stack gap="sm" p="sm" mt="xs" bd="1px solid var(--line)" bdrs="md" align="flex-start">
            <SimpleGrid cols={{ base: 1, sm: fields.length }} w="100%" spacing="sm">
              {fields.map((field) => (
                <FilterSelect
                  key={field.name}
                  {...field}
                  value={filter[field.name]}
                  onChange={(chosen) => setFilter({ ...filter, [field.name]: chosen })}
                />
              ))}
            </SimpleGrid>
            {count?.more ? (
              <Hint>
                {t('Zu viele Personen. Bitte wählen Sie weitere Filter.', 'Too many people. Please set more filters.')}
              </Hint>
            ) : count?.count === 0 ? (
              <Hint>{t('Keine Person entspricht den Filtern.', 'Nobody matches these filters.')}</Hint>
            ) : (
              <Button size="xs" loading={isPending || !count} onClick={() => addAll()}>
                {addText(count?.count ?? 0)}
              </Button>
            )}
          </Stack>
        </Collapse>
      </Box>
    </div>
  );
};

interface ChosenProps {
  value: readonly Recipient[];
  words: string;
  onChange: (value: Recipient[]) => void;
}

/** The recipients, each of whom can be removed. If there are many, a button with their number shows and hides them. */
const Chosen = ({ value, words, onChange }: ChosenProps) => {
  const id = useId();
  const [isOpen, { toggle }] = useDisclosure();
  if (value.length === 0) return null;
  const isLong = value.length > shownNames;
  return (
    <div>
      {isLong && (
        <Group gap="xs" mb="xs">
          <FoldButton variant="light" isOpen={isOpen} aria-controls={id} onClick={toggle}>
            {[words, people(value.length)].filter(Boolean).join(': ')}
          </FoldButton>
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onChange([])}>
            {t('Alle entfernen', 'Remove all')}
          </Button>
        </Group>
      )}
      <Group id={id} gap={6} mah={200} style={{ overflowY: 'auto' }}>
        {(!isLong || isOpen) &&
          value.map(({ value: one, label, name }, at) => (
            // Keys are positions, so that the focus stays at its place and is then on the next person.
            <Button
              key={at}
              size="compact-sm"
              maw="100%"
              title={label}
              aria-label={t(`${label} entfernen`, `Remove ${label}`)}
              rightSection={<IconX size={14} aria-hidden />}
              onClick={() => onChange(value.filter((other) => other.value !== one))}
            >
              <Text span inherit truncate>
                {name ?? label}
              </Text>
            </Button>
          ))}
      </Group>
    </div>
  );
};
