import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { TeamMember } from '../../../modules/members/schema.ts';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import classes from '../list/table.module.css';
import { Lines, TextInCell } from '../text/cut.tsx';
import { TextLink } from '../text/text.tsx';
import { usePersonNames } from './names.tsx';
import { initialsOf, isSearchFor, personLabel, tintOf, type Person } from './person-label.ts';

interface MemberChoiceProps {
  label: string;
  /** Shown while no person is chosen. */
  placeholder: string;
  value: string;
  onChange: (id: string | null) => void;
  /** Which id the value is: the id of the membership, or that of the user, which only active members have. */
  by: 'id' | 'user_id';
  status?: TeamMember['status'];
  /** Former members can be chosen too. */
  former?: boolean;
  /** The name of the chosen person, for the case that the search does not find them, for example a former member. */
  fallbackName?: string;
  required?: boolean;
  error?: ReactNode;
  comboboxProps?: NonNullable<SelectProps['comboboxProps']>;
}

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
      // In a popover, the focus is on this field at once, and an open list would cover the other fields.
      openOnFocus={false}
    />
  );
};

export type MemberFilterProps = Omit<MemberChoiceProps, 'placeholder' | 'comboboxProps'>;

export const MemberFilter = ({ fallbackName, ...choice }: MemberFilterProps) => {
  const { by, value } = choice;
  const found = usePersonNames([by === 'user_id' && value !== '' ? value : null]).get(value) ?? fallbackName;
  return (
    <MemberChoice
      {...choice}
      placeholder={t('Alle', 'All')}
      // Otherwise a click on a person would close the popover of the filters.
      comboboxProps={{ withinPortal: false }}
      {...(found !== undefined && { fallbackName: found })}
    />
  );
};

/** The name of the person by whom a list is filtered. */
export const NameOfMember = ({
  id,
  by,
  status,
  former,
  fallbackName = '…',
}: Pick<MemberChoiceProps, 'by' | 'status' | 'former' | 'fallbackName'> & { id: string }) => {
  const name = usePersonNames([by === 'user_id' ? id : null]).get(id);
  const { members } = useMembersFound(status, former);
  const found = members.find((member) => member[by] === id);
  return name ?? found?.name ?? found?.email ?? fallbackName;
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

/** A list shows at least this many characters of an address, even if the name above it is shorter. */
const leastOfAddress = 24;

const Address = ({ email }: { email: string }) => (
  <div
    className={classes['address']}
    data-second
    style={{ minWidth: `max(100%, ${Math.min(email.length, leastOfAddress)}ch)` }}
  >
    {email}
  </div>
);

interface PersonNameProps {
  name: string | null;
  email?: string;
  /** The page to which the name links. */
  to?: string;
  /** Stands after the name. */
  mark?: ReactNode;
}

/**
 * A person in a list: initials, and the name with the address below it. If there is no name, the address replaces it.
 */
export const PersonName = ({ name, email = '', to, mark }: PersonNameProps) => {
  const shown = <TextInCell text={name ?? email} />;
  return (
    <div className={classes['person']}>
      <span
        className={classes['initials']}
        data-tint={tintOf(email || (name ?? ''))}
        data-initials={initialsOf(name ?? email)}
        aria-hidden
      />
      <Lines below={name !== null && email !== '' && <Address email={email} />}>
        {to === undefined ? (
          shown
        ) : (
          <TextLink to={to} inherit fw={600}>
            {shown}
          </TextLink>
        )}
        {mark}
      </Lines>
    </div>
  );
};
