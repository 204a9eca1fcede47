import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';

/** The parameters in the address bar. They are newer than React Router's: a filter that was just set is already there. */
const currentParams = () => new URLSearchParams(window.location.search);

/** Filters that are stored in the page's URL, so that links, bookmarks and the back button keep them. Empty means not set. */
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

interface SearchFieldProps {
  label: string;
  /** The current search, from the URL. */
  value: string;
  onChange: (text: string) => void;
}

/** A search field that reports the text shortly after the last keystroke, and follows changes of the URL. */
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

/** Whether a text is one of the keys of a list of names. */
export const isKeyOf = <Key extends string>(names: Readonly<Record<Key, string>>, text: string): text is Key =>
  Object.hasOwn(names, text);
