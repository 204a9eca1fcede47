import { List, Modal, Text } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { TextLink } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { TextInCell } from '../text/cut.tsx';
import { DraftsOfDialog } from '../form/draft.tsx';

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: 'md' | 'lg' | 'xl';
  /** In front of another dialog, whichever was opened first. */
  inFront?: boolean;
  /** Only a button in the dialog closes it. */
  locked?: boolean;
  children: ReactNode;
}

/** Above all dialogs, whose layer is 200, and below notifications. */
const frontLayer = 250;

/** A dialog on top of the page. Its content is created again each time it opens. */
export const Dialog = ({
  title,
  opened,
  onClose,
  size = 'md',
  inFront = false,
  locked = false,
  children,
}: DialogProps) => {
  const [drafts] = useState(() => new Set<() => void>());
  /** Until the answer has come, the dialog stays open: it may contain a secret that is shown only once, or a refusal. */
  const isSending = useIsMutating() > 0;
  return (
    <Modal
      opened={opened}
      onClose={() => {
        if (isSending) return;
        for (const drop of drafts) drop();
        onClose();
      }}
      title={title}
      size={size}
      {...(inFront && { zIndex: frontLayer })}
      closeOnClickOutside={!locked}
      closeOnEscape={!locked}
      withCloseButton={!locked}
      closeButtonProps={{ 'aria-label': t('Schließen', 'Close') }}
    >
      <DraftsOfDialog value={drafts}>{children}</DraftsOfDialog>
    </Modal>
  );
};

/** A list of consequences. The name says which object they concern. */
export const Consequences = ({
  name,
  points,
}: {
  name?: string | undefined;
  points: readonly (string | undefined)[];
}) => (
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

/** Opens an object in a dialog on top of the list: the URL names it with this parameter. */
export const DialogLink = ({ name, id, children }: { name: string; id: string; children: ReactNode }) => {
  const [params] = useSearchParams();
  const next = new URLSearchParams(params);
  next.set(name, id);
  return (
    <TextLink to={`?${next}`} underline="hover" fw={550} inherit>
      {typeof children === 'string' ? <TextInCell text={children} /> : children}
    </TextLink>
  );
};
