import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { TeamMember } from '../../modules/members/schema.ts';
import { useText } from '../language/language.tsx';
import { app } from '../server/server.ts';
import { Cut } from './cut.tsx';

interface MemberChoiceProps {
  label: string;
  /** Shown while no person is chosen. */
  placeholder: string;
  value: string;
  onChange: (id: string | null) => void;
  /** The kind of id in the value: that of the membership, or that of the user, which only active members have. */
  by: 'id' | 'user_id';
  status?: TeamMember['status'];
  /** The name of the chosen person if the search does not find them, for example a former member. */
  fallbackName?: string;
  required?: boolean;
  error?: ReactNode;
}

/** Chooses a person of the team. */
export const MemberChoice = ({ by, value, status, fallbackName, required = false, ...field }: MemberChoiceProps) => {
  const t = useText();
  const { members, labelOf, loaded, search } = useMembersFound(status);
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

/** People to choose from: the beginning of the member list, and the results of searches. For admins only. */
export const useMembersFound = (status?: TeamMember['status']) => {
  const t = useText();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const [known, setKnown] = useState<ReadonlyMap<string, TeamMember>>(new Map());
  // After a choice, the search field holds the person's label. That is not a search.
  const { data } = useQuery(
    app.members.list.queryOptions({
      ...(status !== undefined && { status }),
      ...(search !== '' && !search.includes(' · ') && { search }),
    }),
  );
  useEffect(() => {
    if (data) setKnown((former) => new Map([...former, ...data.data.map((member) => [member.id, member] as const)]));
  }, [data]);
  return {
    members: [...known.values()],
    labelOf: (member: TeamMember): string => {
      const label = member.name === null ? member.email : `${member.name} · ${member.email}`;
      return member.status === 'invited' ? `${label} (${t('eingeladen', 'invited')})` : label;
    },
    loaded: data !== undefined,
    search: setText,
  };
};

type Role = TeamMember['role'];

export const useRoleName = (): ((role: Role) => string) => {
  const t = useText();
  const names: Readonly<Record<Role, string>> = {
    owner: t('Inhaber', 'Owner'),
    admin: t('Admin', 'Admin'),
    member: t('Mitglied', 'Member'),
  };
  return (role) => names[role];
};

/** A person's name in a list, with the email address below; only the address if there is no name. */
export const PersonName = ({ name, email }: { name: ReactNode; email: string }) =>
  name === null ? (
    <Cut text={email} />
  ) : (
    <div>
      {name}
      <Text component="div" size="xs" c="dimmed">
        <Cut text={email} />
      </Text>
    </div>
  );
