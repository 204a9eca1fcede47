import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

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
