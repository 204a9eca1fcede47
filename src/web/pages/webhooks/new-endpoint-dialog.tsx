import { Button, Divider, Group, Modal, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { CreatedWebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ShownOnce } from '../../kit/copy.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { Verification } from './verification.tsx';

/** The secret, and what it is for. */
const Secret = ({ endpoint: { id, secret }, onDone }: { endpoint: CreatedWebhookEndpoint; onDone: () => void }) => {
  const t = useText();
  const navigate = useNavigate();
  const top = useRef<HTMLDivElement>(null);
  // The form that had the focus is gone.
  useEffect(() => top.current?.focus(), []);
  return (
    <Stack ref={top} tabIndex={-1} style={{ outline: 'none' }}>
      <ShownOnce value={secret} what={t('das Geheimnis', 'the secret')} />
      <Divider />
      <Verification />
      <Group justify="flex-end">
        <Button
          onClick={() => {
            onDone();
            void navigate(`/webhooks/${id}`);
          }}
        >
          {t('Geheimnis ist gesichert', 'I have kept the secret')}
        </Button>
      </Group>
    </Stack>
  );
};

const Inside = ({ onClose, onCreated }: { onClose: () => void; onCreated: (made: CreatedWebhookEndpoint) => void }) => {
  const t = useText();
  const create = api.useChange('webhooks.create');
  return (
    <EndpointForm
      initial={{ url: '', description: null, events: [] }}
      action={t('Endpunkt anlegen', 'Create endpoint')}
      error={create.error}
      running={create.isPending}
      onCancel={onClose}
      onSubmit={(wanted) => create.mutate(wanted, { onSuccess: onCreated })}
    />
  );
};

interface NewEndpointDialogProps {
  opened: boolean;
  created: CreatedWebhookEndpoint | undefined;
  onCreated: (made: CreatedWebhookEndpoint) => void;
  onClose: () => void;
}

/** Makes an endpoint, then shows its secret; while that is on show, nothing but the button closes it. */
export const NewEndpointDialog = ({ opened, created, onCreated, onClose }: NewEndpointDialogProps) => {
  const t = useText();
  const guarded = created !== undefined;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={guarded ? t('Der Endpunkt ist angelegt', 'The endpoint is created') : t('Neuer Endpunkt', 'New endpoint')}
      closeOnClickOutside={!guarded}
      closeOnEscape={!guarded}
      withCloseButton={!guarded}
      closeButtonProps={{ 'aria-label': t('Schließen', 'Close') }}
    >
      {created ? <Secret endpoint={created} onDone={onClose} /> : <Inside onClose={onClose} onCreated={onCreated} />}
    </Modal>
  );
};
