import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Hint } from '../text/text.tsx';
import { teamTimeZone } from '../../../core/time-zone.ts';
import { t } from '../../language/language.tsx';
import { isPreset, rangeOptions, timesOf, type Times } from './date-range.ts';
import { dayInWords } from '../text/dates.ts';
import { readOrder, writeOrder, type Order } from './list-rules.ts';

/**
 * The parameters in the address bar. React Router's own are older: they don't have a filter that was set a moment ago.
 */
const currentParams = () => new URLSearchParams(window.location.search);

/**
 * Filters that are stored in the page's URL, so that links, bookmarks and the back button keep them. Empty means not
 * set.
 */
export const useFilters = <Name extends string>(...names: Name[]) => {
  const [params, setParams] = useSearchParams();
  const valueOf = (name: Name): string => params.get(name) ?? '';
  const set = (name: Name, value: string | null): void => {
    const next = currentParams();
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    setParams(next, { replace: true });
  };
  const clear = (): void => {
    const next = currentParams();
    for (const name of names) next.delete(name);
    setParams(next);
  };
  return { valueOf, set, clear, isSet: names.some((name) => params.has(name)) };
};

interface FilterBarProps {
  filters: { isSet: boolean; clear: () => void };
  children: ReactNode;
}

/** The filters of a list in a row, with a button that clears them. */
export const FilterBar = ({ filters: { isSet, clear }, children }: FilterBarProps) => (
  <Group gap="sm" align="flex-end">
    {children}
    {isSet && (
      <Button variant="subtle" onClick={clear}>
        {t('Filter zurücksetzen', 'Clear filters')}
      </Button>
    )}
  </Group>
);

/** The keys of a list of words, to choose from. */
export const optionsOf = <Key extends string>(words: Readonly<Record<Key, string>>) =>
  Object.keys(words)
    .filter((key) => isKeyOf(words, key))
    .map((key) => ({ value: key, label: words[key] }));

/** On a phone, the fields of a filter bar share its width. */
const growsOnPhone = { base: '1 1 auto', sm: 'none' };

interface FilterSelectProps<Name extends string> {
  filters: { valueOf: (name: Name) => string; set: (name: Name, value: string) => void };
  name: Name;
  label: string;
  options: readonly { value: string; label: string }[];
  /** The choice without this filter. It says what the filter is about, so that the label is only for screen readers. */
  all?: string;
}

/** Chooses the value of a filter. */
export const FilterSelect = <Name extends string>({ filters, name, label, options, all }: FilterSelectProps<Name>) => {
  const value = filters.valueOf(name);
  return (
    <NativeSelect
      {...(all === undefined ? { label, flex: '1 1 140px' } : { 'aria-label': label, flex: growsOnPhone })}
      maw={{ base: '100%', sm: 280 }}
      value={options.some((option) => option.value === value) ? value : ''}
      onChange={(event) => filters.set(name, event.currentTarget.value)}
      data={[{ value: '', label: all ?? t('Alle', 'All') }, ...options]}
    />
  );
};

export const rangeNames = ['range', 'from', 'to'] as const;

interface RangeFilters {
  valueOf: (name: (typeof rangeNames)[number]) => string;
  set: (name: (typeof rangeNames)[number], value: string | null) => void;
}

/** The times of the range in the address, as filters of a procedure. */
export const useRange = ({ valueOf }: Pick<RangeFilters, 'valueOf'>): Times => {
  const [range, from, to] = [valueOf('range'), valueOf('from'), valueOf('to')];
  return useMemo(() => timesOf({ range, from, to }, new Date(), teamTimeZone), [range, from, to]);
};

interface RangeChoiceProps {
  filters: RangeFilters;
  /** Shows the names of the fields, beside others that have one. */
  labelled?: boolean;
  /** A word for the days, such as "Due", if the filter is not about the time that orders the list. */
  of?: string;
}

/** Chooses a range of days, in the team's time zone. */
export const RangeChoice = ({ filters: { valueOf, set }, labelled = false, of }: RangeChoiceProps) => {
  const range = valueOf('range');
  const days = [dayInWords(valueOf('from')), dayInWords(valueOf('to'))];
  const named = (label: string) => (labelled ? { label } : { 'aria-label': label });
  const dayOf = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="date"
      {...named(label)}
      value={valueOf(name)}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  );
  return (
    <Group gap="sm" align={labelled ? 'flex-end' : 'center'} flex={growsOnPhone}>
      <NativeSelect
        flex={growsOnPhone}
        {...named(of ?? t('Zeitraum', 'Time range'))}
        title={t(`Tage in der Zeitzone ${teamTimeZone}`, `Days in the time zone ${teamTimeZone}`)}
        value={range === 'own' || isPreset(range) ? range : ''}
        onChange={(event) => set('range', event.currentTarget.value)}
        data={rangeOptions().map((one) => (of === undefined ? one : { ...one, label: `${of}: ${one.label}` }))}
      />
      {range === 'own' && (
        <>
          {dayOf('from', t('Von', 'From'))}
          {dayOf('to', t('Bis', 'To'))}
          {days.some((day) => day !== undefined) && (
            <Hint {...(labelled && { mb: 8 })}>{days.map((day) => day ?? '…').join(' – ')}</Hint>
          )}
        </>
      )}
    </Group>
  );
};

interface TextFilterProps<Name extends string> {
  filters: { valueOf: (name: Name) => string; set: (name: Name, text: string) => void };
  name: Name;
  label: string;
  /** Shows the name of the field, beside others that have one. */
  labelled?: boolean;
}

export const SearchField = (props: Omit<TextFilterProps<'search'>, 'name'>) => <TextFilter {...props} name="search" />;

/** A field that reports its text shortly after the last keystroke, and follows changes of the URL. */
export const TextFilter = <Name extends string>({
  filters: { valueOf, set },
  name,
  label,
  labelled = false,
}: TextFilterProps<Name>) => {
  const value = valueOf(name);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed;
    set(name, typed);
  }, 250);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      {...(labelled ? { label } : { 'aria-label': label, placeholder: label })}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value.trim());
      }}
      // Or it would cancel the way to another page that was just chosen.
      onBlur={() => send.flush()}
      flex="1 1 200px"
      maw={360}
    />
  );
};

/** The value of a filter that is set. */
export const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** Whether a text is one of the keys of a list of names. */
export const isKeyOf = <Key extends string>(names: Readonly<Record<Key, unknown>>, text: string): text is Key =>
  Object.hasOwn(names, text);

/** The order of a list. It is stored in the URL. */
export interface Sorting {
  order: Order | undefined;
  set: (order: Order | undefined) => void;
}

export const useOrder = (): Sorting => {
  const { valueOf, set } = useFilters('sort');
  return {
    order: readOrder(valueOf('sort')),
    set: (order) => set('sort', order ? writeOrder(order) : null),
  };
};

/** The order for a list's procedure, if it is by one of the columns by which the server sorts. */
export const useServerOrder = <Name extends string>(names: readonly Name[]) => {
  const { order } = useOrder();
  const by = names.find((name) => name === order?.by);
  return by === undefined || !order ? {} : { sort: { by, desc: order.desc } };
};
