import { Switch } from '@mantine/core';
import { useRef, useState } from 'react';

interface ReleaseSwitchProps {
  label: string;
  released: boolean;
  disabled?: boolean;
  /** Says so to the server; true when it took it. */
  onChange: (released: boolean) => Promise<boolean>;
}

/** Shows at once what was wanted, and what was before if the server would not have it. One answer is waited for at a time. */
export const ReleaseSwitch = ({ label, released, disabled = false, onChange }: ReleaseSwitchProps) => {
  const [wanted, setWanted] = useState<boolean>();
  const [asking, setAsking] = useState(false);
  const latest = useRef(released);
  // The list says what was wanted: from here on it counts alone.
  if (!asking && wanted === released) setWanted(undefined);
  const change = async (next: boolean) => {
    setWanted(next);
    latest.current = next;
    if (asking) return;
    setAsking(true);
    let said: boolean | undefined;
    while (said !== latest.current) {
      said = latest.current;
      if (await onChange(said)) continue;
      setWanted(undefined);
      break;
    }
    setAsking(false);
  };
  return (
    <Switch
      aria-label={label}
      checked={wanted ?? released}
      disabled={disabled}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  );
};
