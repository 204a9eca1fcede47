import { Button, Group, List, Text } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { useId, useRef, useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { TextLink } from '../text/text.tsx';
import { t } from '../../language/language.tsx';
import { TextInCell } from '../text/cut.tsx';
import { FormsOfDialog, type UnsentInput } from '../form/draft.tsx';
import { DialogShell } from './dialog-shell.tsx';

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: 'md' | 'lg' | 'xl';
  /** Only a button in the dialog closes it. */
  locked?: boolean;
  children: ReactNode;
}

/**
 * A dialog on top of the page. Its content is created again each time it opens. It asks before it drops unsent input.
 */
export const Dialog = ({ title, opened, onClose, size = 'md', locked = false, children }: DialogProps) => {
  const [forms] = useState(() => new Set<UnsentInput>());
  const [isAsking, setAsking] = useState(false);
  /** The element that had the focus when the question was asked. */
  const focused = useRef<Element | null>(null);
  /**
   * While the app sends a change, the dialog stays open. The answer may contain a secret that is shown only once, or a
   * refusal.
   */
  const isSending = useIsMutating() > 0;
  const goOn = () => {
    setAsking(false);
    // One frame later, because only then the form can get the focus again.
    requestAnimationFrame(() => focused.current instanceof HTMLElement && focused.current.focus());
  };
  const drop = () => {
    setAsking(false);
    for (const form of forms) form.drop();
    onClose();
  };
  const wantToClose = () => {
    if (isSending || locked) return;
    if (isAsking) return goOn();
    if (![...forms].some((form) => form.isDirty())) return drop();
    focused.current = document.activeElement;
    setAsking(true);
  };
  return (
    <DialogShell
      opened={opened}
      onClose={wantToClose}
      title={title}
      size={size}
      closeOnClickOutside={!locked}
      withCloseButton={!locked}
      question={opened && isAsking ? <DropQuestion onKeep={goOn} onDrop={drop} /> : undefined}
    >
      <FormsOfDialog value={forms}>{children}</FormsOfDialog>
    </DialogShell>
  );
};

const DropQuestion = ({ onKeep, onDrop }: { onKeep: () => void; onDrop: () => void }) => {
  const id = useId();
  return (
    <Group role="alertdialog" aria-labelledby={id} justify="space-between" gap="sm">
      <Text id={id} size="sm" fw={600}>
        {t('Eingaben verwerfen?', 'Discard your input?')}
      </Text>
      <Group gap="sm" ml="auto">
        <Button ref={(button) => button?.focus()} onClick={onKeep}>
          {t('Weiter bearbeiten', 'Keep editing')}
        </Button>
        <Button variant="filled" color="red.9" onClick={onDrop}>
          {t('Verwerfen', 'Discard')}
        </Button>
      </Group>
    </Group>
  );
};

/** A list of consequences. `name` is the object that they concern. */
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

/** A link that opens an object in a dialog on top of the list. `name` is the URL's parameter for the object's id. */
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
