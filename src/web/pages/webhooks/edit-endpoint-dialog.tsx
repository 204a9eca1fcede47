import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { EndpointForm } from './endpoint-form.tsx';

interface EditEndpointDialogProps {
  endpoint: WebhookEndpoint;
  opened: boolean;
  onClose: () => void;
}

const Inside = ({ endpoint: { id, url, description, events }, onClose }: Omit<EditEndpointDialogProps, 'opened'>) => {
  const t = useText();
  const change = api.useChange('webhooks.change');
  return (
    <EndpointForm
      initial={{ url, description, events }}
      action={t('Speichern', 'Save')}
      error={change.error}
      running={change.isPending}
      onCancel={onClose}
      onSubmit={(wanted) =>
        change.mutate(
          { endpoint_id: id, ...wanted },
          {
            onSuccess: () => {
              tell(t('Der Endpunkt ist geändert.', 'The endpoint is changed.'));
              onClose();
            },
          },
        )
      }
    />
  );
};

/** Changes where events go, what for, and which ones. */
export const EditEndpointDialog = ({ endpoint, opened, onClose }: EditEndpointDialogProps) => {
  const t = useText();
  return (
    <Dialog title={t('Endpunkt bearbeiten', 'Edit endpoint')} opened={opened} onClose={onClose} size="lg">
      <Inside endpoint={endpoint} onClose={onClose} />
    </Dialog>
  );
};
