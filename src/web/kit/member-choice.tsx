import { Select } from '@mantine/core';
import type { TeamMember } from '../../modules/members/app-schema.ts';
import { useText } from '../language/language.ts';
import { useMembersFound } from './members-found.ts';

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
