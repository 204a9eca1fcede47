import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** What the address says, which is ahead of what is on show: a filter that was set a moment ago is in it already. */
const addressed = () => new URLSearchParams(window.location.search);

/** Filters that stand in the address, so that they can be bookmarked, sent and gone back to. Empty means not set. */
export const useFilters = <Name extends string>(...names: Name[]) => {
  const [params, setParams] = useSearchParams();
  const valueOf = (name: Name): string => params.get(name) ?? '';
  const set = (name: Name, value: string | null): void => {
    const next = addressed();
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    setParams(next, { replace: true });
  };
  const clear = (): void => {
    const next = addressed();
    for (const name of names) next.delete(name);
    setParams(next);
  };
  return { valueOf, set, clear, isSet: names.some((name) => params.has(name)) };
};

interface SearchFieldProps {
  label: string;
  /** What is searched for now, as the address says it. */
  value: string;
  onChange: (text: string) => void;
}

/** Searches while one types, a moment behind; follows the address when that changes by itself. */
export const SearchField = ({ label, value, onChange }: SearchFieldProps) => {
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
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value.trim());
      }}
      flex="1 1 220px"
      maw={360}
    />
  );
};

/** Whether a text is one of the keys that something has a name for. */
export const isAmong = <Key extends string>(names: Readonly<Record<Key, string>>, text: string): text is Key =>
  Object.hasOwn(names, text);
