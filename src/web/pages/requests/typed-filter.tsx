import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

interface TypedFilterProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A filter that is typed or pasted: searched for once it is done, not at every letter. */
export const TypedFilter = ({ label, value, onChange }: TypedFilterProps) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <TextInput
      label={label}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
};
