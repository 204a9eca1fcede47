import { Box, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { TeamMember } from '../../../modules/members/schema.ts';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Cut, TextInCell } from '../text/cut.tsx';
import { usePersonNames } from './names.tsx';
import { isSearchFor, personLabel, type Person } from './person-label.ts';

interface MemberChoiceProps {
  label?: string;
  'aria-label'?: string;
  /** Shown while no person is chosen. */
  placeholder: string;
  value: string;
  onChange: (id: string | null) => void;
  /** The kind of id in the value: that of the membership, or that of the user, which only active members have. */
  by: 'id' | 'user_id';
  status?: TeamMember['status'];
  /** Former members can be chosen too. */
  former?: boolean;
  /** The name of the chosen person if the search does not find them, for example a former member. */
  fallbackName?: string;
  required?: boolean;
  error?: ReactNode;
}

/** Chooses a person of the team. */
export const MemberChoice = ({
  by,
  value,
  status,
  former = false,
  fallbackName,
  required = false,
  ...field
}: MemberChoiceProps) => {
  const { members, labelOf, loaded, search } = useMembersFound(status, former);
  const found = members.flatMap((member) => {
    const id = member[by];
    return id === null ? [] : [{ value: id, label: labelOf(member) }];
  });
  const isMissing = loaded && value !== '' && !found.some((option) => option.value === value);
  const missing = { value, label: fallbackName ?? t('Nicht mehr im Team', 'No longer in the team') };
  return (
    <Select
      {...field}
      data={isMissing ? [missing, ...found] : found}
      value={value === '' ? null : value}
      searchable
      clearable={!required}
      required={required}
      clearButtonProps={{ 'aria-label': t('Auswahl zurücksetzen', 'Clear selection') }}
      nothingFoundMessage={t('Keine Treffer', 'No results')}
      onSearchChange={search}
    />
  );
};

interface MemberFilterProps<Name extends string> extends Pick<
  MemberChoiceProps,
  'by' | 'status' | 'former' | 'fallbackName'
> {
  filters: { valueOf: (name: Name) => string; set: (name: Name, value: string | null) => void };
  name: Name;
  label?: string;
  /** The choice without this filter. It says what the filter is about, so that the label is only for screen readers. */
  all?: string;
}

/** Filters a list by a person. */
export const MemberFilter = <Name extends string>({
  filters: { valueOf, set },
  name,
  label = t('Mitglied', 'Member'),
  all,
  fallbackName,
  ...choice
}: MemberFilterProps<Name>) => {
  const id = valueOf(name);
  const found = usePersonNames([choice.by === 'user_id' && id !== '' ? id : null]).get(id) ?? fallbackName;
  return (
    <Box flex="1 1 140px" maw={260}>
      <MemberChoice
        {...choice}
        {...(all === undefined ? { label } : { 'aria-label': label })}
        placeholder={all ?? t('Alle', 'All')}
        value={id}
        onChange={(chosen) => set(name, chosen)}
        {...(found !== undefined && { fallbackName: found })}
      />
    </Box>
  );
};

/**
 * People to choose from: the beginning of the lists of members and of former members, and the results of searches. For
 * admins only.
 */
export const useMembersFound = (status?: TeamMember['status'], former = false) => {
  const [text, setText] = useState('');
  const [typed] = useDebouncedValue(text, 250);
  const [known, setKnown] = useState<ReadonlyMap<string, Person>>(new Map());
  const search = isSearchFor(typed) && { search: typed };
  const present = useQuery(app.members.list.queryOptions({ ...(status !== undefined && { status }), ...search })).data;
  const left = useQuery(app.formerMembers.list.queryOptions({ ...search }, { enabled: former })).data;
  useEffect(() => {
    const found: Person[] = [
      ...(present?.data ?? []),
      ...(left?.data.map((person) => ({ ...person, status: 'former' as const })) ?? []),
    ];
    setKnown((before) => new Map([...before, ...found.map((person) => [person.id, person] as const)]));
  }, [present, left]);
  return {
    members: [...known.values()],
    labelOf: personLabel,
    loaded: present !== undefined && (!former || left !== undefined),
    search: setText,
  };
};

type Role = TeamMember['role'];

export const roleNames = (): Readonly<Record<Role, string>> => ({
  owner: t('Inhaber', 'Owner'),
  admin: t('Admin', 'Admin'),
  member: t('Mitglied', 'Member'),
});

export const roleName = (role: Role): string => roleNames()[role];

/** A person's name in a list, with the email address below; only the address if there is no name. */
export const PersonName = ({ name, email }: { name: ReactNode; email: string }) =>
  name === null ? (
    <Cut text={email} />
  ) : (
    <div>
      {typeof name === 'string' ? <TextInCell text={name} /> : name}
      <Text component="div" size="xs" c="dimmed">
        <Cut text={email} />
      </Text>
    </div>
  );
