import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { TeamMember } from '../../modules/members/app-schema.ts';
import type { Membership } from '../../modules/sessions/schema.ts';
import { useText } from '../language/language.tsx';
import { app } from '../server/server.ts';

interface MemberChoiceProps {
  label: string;
  /** What stands there while nobody is chosen. */
  placeholder: string;
  value: string;
  onChange: (id: string | null) => void;
  /** By the id of the membership, or by that of the user, whom only active members have. */
  by: 'id' | 'user_id';
  status?: TeamMember['status'];
  /** What to call somebody who is chosen and not found, a former member for instance. */
  otherwise?: string;
  required?: boolean;
  error?: string | undefined;
}

/** Chooses somebody of the team. */
export const MemberChoice = ({ by, value, status, otherwise, required = false, ...field }: MemberChoiceProps) => {
  const t = useText();
  const { members, labelOf, loaded, search } = useMembersFound(status);
  const found = members.flatMap((member) => {
    const id = member[by];
    return id === null ? [] : [{ value: id, label: labelOf(member) }];
  });
  const isMissing = loaded && value !== '' && !found.some((option) => option.value === value);
  const missing = { value, label: otherwise ?? t('Nicht mehr im Team', 'No longer in the team') };
  return (
    <Select
      {...field}
      data={isMissing ? [missing, ...found] : found}
      value={value === '' ? null : value}
      searchable
      clearable={!required}
      required={required}
      clearButtonProps={{ 'aria-label': t('Auswahl aufheben', 'Clear the choice') }}
      nothingFoundMessage={t('Niemand gefunden', 'Nobody found')}
      onSearchChange={search}
    />
  );
};

interface Found {
  /** Everybody who was found so far, the first of the list among them. */
  members: readonly TeamMember[];
  labelOf: (member: TeamMember) => string;
  loaded: boolean;
  search: (text: string) => void;
}

/** People of the team to choose from: the first ones, and whoever a search finds. Only admins may ask. */
export const useMembersFound = (status?: TeamMember['status']): Found => {
  const t = useText();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const [known, setKnown] = useState<ReadonlyMap<string, TeamMember>>(new Map());
  // What a choice puts into its own search field is the label of who was chosen.
  const { data } = app.useAnswer('members.list', {
    ...(status !== undefined && { status }),
    ...(search !== '' && !search.includes(' · ') && { search }),
  });
  useEffect(() => {
    if (data) setKnown((former) => new Map([...former, ...data.data.map((member) => [member.id, member] as const)]));
  }, [data]);
  return {
    members: [...known.values()],
    labelOf: (member) => {
      const label = member.name === null ? member.email : `${member.name} · ${member.email}`;
      return member.status === 'invited' ? `${label} (${t('eingeladen', 'invited')})` : label;
    },
    loaded: data !== undefined,
    search: setText,
  };
};

type Role = Membership['role'];

/** What roles are called. */
export const useRoleName = (): ((role: Role) => string) => {
  const t = useText();
  const names: Readonly<Record<Role, string>> = {
    owner: t('Inhaber', 'Owner'),
    admin: t('Admin', 'Admin'),
    member: t('Mitglied', 'Member'),
  };
  return (role) => names[role];
};
