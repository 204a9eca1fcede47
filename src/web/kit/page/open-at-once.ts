import { useEffect, useRef, useState } from 'react';

/** Opens the menu when it is mounted. Its button gets the focus first, so that the focus returns there. */
export const useOpenAtOnce = () => {
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return { opened, onChange: setOpened, button };
};
