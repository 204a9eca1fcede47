import { List, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { Key } from '../../../modules/keys/schema.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { Shown } from './kept-key-dialog.tsx';

interface RotateDialogProps {
  of: Key;
  opened: boolean;
  onClose: () => void;
  onRotated: (key: Shown) => void;
}

const dayLength = 86_400_000;
const usualGrace = 7;

/** What becomes of the old key, as the grace period is chosen. */
const useFate = (of: Key, grace: number | string): string => {
  const t = useText();
  const locale = useLocale();
  if (typeof grace === 'string') return '';
  if (grace === 0) {
    return t(
      'Der alte Schlüssel endet sofort: bis der neue eingetragen ist, bekommt Ihr Programm 401.',
      'The old key ends at once: until the new one is in place, your program gets 401.',
    );
  }
  const graceEnds = Date.now() + grace * dayLength;
  const ends = of.expires_at === null ? graceEnds : Math.min(graceEnds, Date.parse(of.expires_at));
  const told = new Date(ends).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return ends < graceEnds
    ? t(
        `Der alte Schlüssel gilt bis zu seinem eigenen Ablauf am ${told}. Bis dahin gelten beide.`,
        `The old key works until its own expiry on ${told}. Until then both work.`,
      )
    : t(
        `Der alte Schlüssel gilt noch bis ${told}. Bis dahin gelten beide.`,
        `The old key works until ${told}. Until then both work.`,
      );
};

const RotateForm = ({ of, onClose, onRotated }: Omit<RotateDialogProps, 'opened'>) => {
  const t = useText();
  const most = app.useAnswer('reference.limits', {}).data?.key_grace_days;
  const rotate = app.useChange('keys.rotate');
  /** Text while nothing that is a number stands in the field. */
  const [grace, setGrace] = useState<number | string>(usualGrace);
  const fate = useFate(of, grace);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof grace === 'string') return;
    rotate.mutate(
      { key_id: of.key_id, grace_days: grace },
      { onSuccess: ({ key_id, key }) => onRotated({ keyId: key_id, key }) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <List size="sm" spacing={4}>
          <List.Item>
            {t(
              'Der neue Schlüssel hat dieselben Berechtigungen, erlaubten Adressen und denselben Ablauftag.',
              'The new key has the same scopes, allowed addresses and expiry day.',
            )}
          </List.Item>
          <List.Item>
            {t(
              'Sie sehen ihn einmal und tragen ihn überall ein, wo der alte steht.',
              'You see it once and put it wherever the old one is.',
            )}
          </List.Item>
        </List>
        <NumberInput
          label={t('Wie viele Tage der alte noch gilt', 'Days that the old one still works')}
          description={most !== undefined && t(`0 bis ${most} Tage`, `0 to ${most} days`)}
          min={0}
          {...(most !== undefined && { max: most })}
          clampBehavior="strict"
          allowDecimal={false}
          required
          data-autofocus
          value={grace}
          onChange={setGrace}
        />
        <Text size="sm" role="status">
          {fate}
        </Text>
        <ProblemAlert error={rotate.error} />
        <DialogButtons
          action={t('Neuen Schlüssel anlegen', 'Make the new key')}
          running={rotate.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
};

/** Replaces a key by a new one. */
export const RotateDialog = ({ opened, ...props }: RotateDialogProps) => {
  const t = useText();
  return (
    <Dialog
      title={t(`„${props.of.name}“ ablösen`, `Replace “${props.of.name}”`)}
      opened={opened}
      onClose={props.onClose}
    >
      <RotateForm {...props} />
    </Dialog>
  );
};
