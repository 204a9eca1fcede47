import { cloneElement, useRef, useState, type PointerEvent, type ReactElement } from 'react';
import type { Tip } from './tip.tsx';

let Loaded: typeof Tip | undefined;

const load = async (): Promise<void> => {
  Loaded ??= (await import('./tip.tsx')).Tip;
};

interface HoverTipProps {
  label: () => string;
  children: ReactElement<{ onPointerEnter?: (event: PointerEvent) => void; onPointerLeave?: () => void }>;
}

/**
 * How long the mouse must stay. A list that moves below a mouse shows no tooltips, because placing one in every frame
 * takes longer than drawing the list. A tap is shorter, so the wait for it is 0.
 */
const restMs = { mouse: 150, touch: 0 };

/**
 * A tooltip for text that can't have the focus, such as a time. A page has many such texts, but readers hover over few.
 * So the tooltip is created, and its code loaded, when the pointer first stays over the text.
 */
export const HoverTip = ({ label, children }: HoverTipProps) => {
  const [wasOver, setWasOver] = useState(false);
  const over = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (wasOver && Loaded)
    return (
      <Loaded label={label()} openDelay={restMs.mouse}>
        {children}
      </Loaded>
    );
  const show = async (): Promise<void> => {
    const { current } = over;
    await load();
    if (over.current === current) setWasOver(true);
  };
  return cloneElement(children, {
    onPointerEnter: ({ pointerType }) => {
      // If loading its code failed, the next hover tries again.
      over.current = setTimeout(
        () => void show().catch(() => undefined),
        restMs[pointerType === 'touch' ? 'touch' : 'mouse'],
      );
    },
    onPointerLeave: () => {
      clearTimeout(over.current);
      over.current = undefined;
    },
  });
};
