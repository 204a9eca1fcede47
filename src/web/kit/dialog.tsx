import { List, Modal, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { DraftsOfDialog } from './draft.tsx';

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: 'md' | 'lg' | 'xl';
  /** In front of another dialog, whichever was opened first. */
  inFront?: boolean;
  /** The height of a content that takes long to render: the dialog appears at once with this much room, its content a frame later. */
  height?: number;
  children: ReactNode;
}

/** Above all dialogs, whose layer is 200, and below notifications. */
const frontLayer = 250;

/** A dialog on top of the page. Its content is created again each time it opens. */
export const Dialog = ({ title, opened, onClose, size = 'md', inFront = false, height, children }: DialogProps) => {
  const t = useText();
  const [drafts] = useState(() => new Set<() => void>());
  return (
    <Modal
      opened={opened}
      onClose={() => {
        for (const drop of drafts) drop();
        onClose();
      }}
      title={title}
      size={size}
      {...(inFront && { zIndex: frontLayer })}
      closeButtonProps={{ 'aria-label': t('Schließen', 'Close') }}
    >
      <DraftsOfDialog value={drafts}>
        {height === undefined ? children : <AfterFrame height={height}>{children}</AfterFrame>}
      </DraftsOfDialog>
    </Modal>
  );
};

/** Keeps the room of its content until the browser has painted a frame. */
export const AfterFrame = ({ height, children }: { height: number; children: ReactNode }) => {
  const [isPainted, setPainted] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  // The dialog looks for this field when it opens, before the content is there.
  useEffect(() => {
    if (isPainted) place.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  }, [isPainted]);
  return (
    <div ref={place}>{isPainted ? children : <div style={{ height: `min(${height}px, calc(90dvh - 80px))` }} />}</div>
  );
};

/** A list of consequences. The name says which object they concern. */
export const Consequences = ({ name, points }: { name?: string; points: readonly (string | undefined)[] }) => (
  <>
    {name !== undefined && (
      <Text size="sm" mb="xs" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    )}
    <List size="sm" spacing={6}>
      {points.map((point) => point !== undefined && <List.Item key={point}>{point}</List.Item>)}
    </List>
  </>
);
