import { cloneElement, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { Tip } from './tip.tsx';

let Loaded: typeof Tip | undefined;

const load = async (): Promise<void> => {
  Loaded ??= (await import('./tip.tsx')).Tip;
};

interface HoverTipProps {
  label: () => string;
  children: ReactElement<{ onPointerEnter?: () => void; onPointerLeave?: () => void }>;
}

/**
 * A tooltip for text that can't have the focus, such as a time. A page has many, but readers hover over few of them: its code is loaded,
 * and the tooltip created, at the first hover.
 */
export const HoverTip = ({ label, children }: HoverTipProps) => {
  const [wasOver, setWasOver] = useState(false);
  const isOver = useRef(false);
  if (wasOver && Loaded) return <Loaded label={label()}>{children}</Loaded>;
  const show = async (): Promise<void> => {
    isOver.current = true;
    await load();
    if (isOver.current) setWasOver(true);
  };
  return cloneElement(children, {
    // If loading its code failed, the next hover tries again.
    onPointerEnter: () => void show().catch(() => undefined),
    onPointerLeave: () => {
      isOver.current = false;
    },
  });
};
