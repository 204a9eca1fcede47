import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { teamTimeZone } from '../../../core/time-zone.ts';
import { t } from '../../language/language.tsx';
import { isPreset, rangeOptions, timesOf, type TimeRange } from './date-range.ts';
import { DateField } from '../form/date-field.tsx';
import { withoutSecrets } from '../text/secrets.ts';
import { areSame, readOrder, withView, writeOrder, type Order } from './list-rules.ts';

/**
 * The parameters in the address bar. React Router's parameters are older: they lack a filter that was set a moment ago.
 */
export const currentParams = () => new URLSearchParams(window.location.search);

export interface Filters<Name extends string> {
  valueOf: (name: Name) => string;
  set: (name: Name, value: string | null) => void;
  clear: () => void;
  isSet: boolean;
  /** The filters that are set. */
  values: Readonly<Record<string, string>>;
  /** Replaces all filters by these. */
  show: (values: Readonly<Record<string, string>>) => void;
  /** Whether exactly these filters are set. */
  is: (values: Readonly<Record<string, string>>) => boolean;
}

/**
 * Filters that are stored in the page's URL, so that links, bookmarks and the back button keep them. Empty means not
 * set.
 */
export const useFilters = <Name extends string>(...names: Name[]): Filters<Name> => {
  const [params, setParams] = useSearchParams();
  const valueOf = (name: Name): string => params.get(name) ?? '';
  const set = (name: Name, value: string | null): void => {
    const next = currentParams();
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    setParams(next, { replace: true });
  };
  const show = (view: Readonly<Record<string, string>>): void => setParams(withView(currentParams(), names, view));
  const values = Object.fromEntries(names.flatMap((name) => (valueOf(name) === '' ? [] : [[name, valueOf(name)]])));
  return {
    valueOf,
    set,
    show,
    clear: () => show({}),
    isSet: names.some((name) => params.has(name)),
    values,
    is: (view) => areSame(names, values, view),
  };
};

/** The value that was chosen last, even while the address and the list do not have it yet. */
export const useAtOnce = (value: string, set: (value: string) => void) => {
  const [chosen, setChosen] = useState<string>();
  useEffect(() => setChosen(undefined), [value]);
  const choose = (next: string): void => {
    setChosen(next);
    set(next);
  };
  return [chosen ?? value, choose] as const;
};

/** The keys of a record as options, with its words as their labels. */
export const optionsOf = <Key extends string>(words: Readonly<Record<Key, string>>) =>
  Object.keys(words)
    .filter((key) => isKeyOf(words, key))
    .map((key) => ({ value: key, label: words[key] }));

interface FilterSelectProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  options: readonly { value: string; label: string }[];
  /** The text of the choice that sets no filter. */
  all?: string;
}

export const FilterSelect = ({ value: current, onChange, label, options, all }: FilterSelectProps) => {
  const [value, set] = useAtOnce(current, onChange);
  return (
    <NativeSelect
      label={label}
      value={options.some((option) => option.value === value) ? value : ''}
      onChange={(event) => set(event.currentTarget.value)}
      data={[{ value: '', label: all ?? t('Alle', 'All') }, ...options]}
    />
  );
};

export const rangeNames = ['range', 'from', 'to'] as const;

type RangeName = (typeof rangeNames)[number];

/** The times of the range in the address, as filters of a procedure. */
export const useRange = ({ valueOf }: { valueOf: (name: RangeName) => string }): TimeRange => {
  const [range, from, to] = [valueOf('range'), valueOf('from'), valueOf('to')];
  return useMemo(() => timesOf({ range, from, to }, new Date(), teamTimeZone), [range, from, to]);
};

interface RangeChoiceProps<Name extends string> {
  filters: Pick<Filters<Name>, 'valueOf' | 'set'>;
  names: readonly [range: Name, from: Name, to: Name];
  label: string;
}

/** Chooses a range of days, in the team's time zone. */
export const RangeChoice = <Name extends string>({
  filters: { valueOf, set },
  names: [range, from, to],
  label,
}: RangeChoiceProps<Name>) => {
  const [chosen, choose] = useAtOnce(valueOf(range), (next) => set(range, next));
  return (
    <>
      <NativeSelect
        label={label}
        title={t(`Tage in der Zeitzone ${teamTimeZone}`, `Days in the time zone ${teamTimeZone}`)}
        value={chosen === 'own' || isPreset(chosen) ? chosen : ''}
        onChange={(event) => choose(event.currentTarget.value)}
        data={rangeOptions()}
      />
      {chosen === 'own' && (
        <>
          <DateField label={t('Von', 'From')} value={valueOf(from)} onChange={(day) => set(from, day)} />
          <DateField label={t('Bis', 'To')} value={valueOf(to)} onChange={(day) => set(to, day)} />
        </>
      )}
    </>
  );
};

interface TextFilterProps {
  value: string;
  onChange: (text: string) => void;
  label: string;
}

/** A search field that reports its text shortly after the last keystroke, and follows changes of the URL. */
export const TextFilter = ({ value, onChange, label }: TextFilterProps) => {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed;
    onChange(typed);
  }, 250);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      flex={{ base: '1 1 0', sm: '0 1 240px' }}
      miw={110}
      value={text}
      onChange={(event) => {
        const typed = withoutSecrets(event.currentTarget.value);
        setText(typed);
        send(typed.trim());
      }}
      // Reports the text at once. If a click opens another page, a later report would cancel that navigation.
      onBlur={() => send.flush()}
    />
  );
};

/** The value of a filter that is set. */
export const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** Whether a text is one of the keys of a list of names. */
export const isKeyOf = <Key extends string>(names: Readonly<Record<Key, unknown>>, text: string): text is Key =>
  Object.hasOwn(names, text);

/** The value of a filter that is one of these keys; undefined if there is no such value. */
export const keyIn = <Key extends string>(names: Readonly<Record<Key, unknown>>, text: string): Key | undefined =>
  isKeyOf(names, text) ? text : undefined;

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

/** The order for a list's procedure, if the server sorts by the chosen column. */
export const useServerOrder = <Name extends string>(names: readonly Name[]) => {
  const { order } = useOrder();
  const by = names.find((name) => name === order?.by);
  return by === undefined || !order ? {} : { sort: { by, desc: order.desc } };
};
