import { Button, Group, Text } from '@mantine/core';
import { useContext, useState } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../../language/language.tsx';
import { draftNamed, draftsHere } from '../../session/drafts.ts';
import { Notice } from '../page/messages.tsx';
import { PageTop } from '../page/page.tsx';
import { Time } from '../text/formats.tsx';

/** A dialog whose form keeps a draft. */
interface DialogDraft {
  name: string;
  /** The title of the dialog. */
  what: string;
  open: () => void;
}

/**
 * Offers, at the top of the page, the drafts that the page's dialogs have from an earlier visit. No dialog opens by
 * itself.
 */
export const WaitingDrafts = ({ of }: { of: readonly DialogDraft[] }) => {
  const top = useContext(PageTop);
  // Only drafts from an earlier visit, because typing in a dialog must not move the page behind it.
  const [waiting, setWaiting] = useState(draftsHere);
  const drafts = of.flatMap(({ name, ...dialog }) => {
    const draft = waiting.includes(name) ? draftNamed(name) : undefined;
    const savedAt = draft?.read()?.savedAt;
    return draft && savedAt !== undefined ? [{ ...dialog, name, savedAt, drop: draft.drop }] : [];
  });
  if (!top || drafts.length === 0) return null;
  const settle = (name: string) => setWaiting((names) => names.filter((one) => one !== name));
  return createPortal(
    drafts.map(({ name, what, savedAt, open, drop }) => (
      <Notice key={name} tone="info" role="status" title={t('Nicht gesendeter Entwurf', 'Unsent draft')}>
        <Group justify="space-between" gap="sm">
          <Text size="sm" flex="1 1 240px">
            {what} · <Time at={new Date(savedAt).toISOString()} />
          </Text>
          <Group gap="sm">
            <Button
              size="xs"
              onClick={() => {
                drop();
                settle(name);
              }}
            >
              {t('Verwerfen', 'Discard')}
            </Button>
            <Button
              size="xs"
              variant="filled"
              onClick={() => {
                settle(name);
                open();
              }}
            >
              {t('Fortsetzen', 'Continue')}
            </Button>
          </Group>
        </Group>
      </Notice>
    )),
    top,
  );
};
