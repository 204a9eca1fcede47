import {
  Box,
  Button,
  Checkbox,
  Collapse,
  Divider,
  Group,
  Modal,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { EventReference } from '../../../modules/reference/schema.ts';
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ShownOnce } from '../../kit/copy.tsx';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { JsonText } from './code-text.tsx';
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

const NewEndpointForm = ({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (made: CreatedWebhookEndpoint) => void;
}) => {
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
      {created ? (
        <Secret endpoint={created} onDone={onClose} />
      ) : (
        <NewEndpointForm onClose={onClose} onCreated={onCreated} />
      )}
    </Modal>
  );
};

interface EditEndpointDialogProps {
  endpoint: WebhookEndpoint;
  opened: boolean;
  onClose: () => void;
}

const EditEndpointForm = ({
  endpoint: { id, url, description, events },
  onClose,
}: Omit<EditEndpointDialogProps, 'opened'>) => {
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
      <EditEndpointForm endpoint={endpoint} onClose={onClose} />
    </Dialog>
  );
};

interface WantedEndpoint {
  url: string;
  description: string | null;
  events: EventType[];
}

interface EndpointFormProps {
  initial: WantedEndpoint;
  /** The word on the button. */
  action: string;
  error: unknown;
  running: boolean;
  onSubmit: (wanted: WantedEndpoint) => void;
  onCancel: () => void;
}

const shownAtField = ['url', 'description', 'events'];

/** Where events go, what for, and which ones. */
const EndpointForm = ({ initial, action, error, running, onSubmit, onCancel }: EndpointFormProps) => {
  const t = useText();
  const { data: limits } = app.useAnswer('reference.limits', {});
  const [url, setUrl] = useState(initial.url);
  const [description, setDescription] = useState(initial.description ?? '');
  const [events, setEvents] = useState(initial.events);
  const [noEvents, setNoEvents] = useState(false);
  const flaws = flawsByField(problemOf(error));
  const atField = shownAtField.some((field) => flaws[field] !== undefined);

  const refusal = (field: string): ReactNode =>
    flaws[field] === undefined ? undefined : (
      <>
        {t('Das wird nicht angenommen: ', 'Not accepted: ')}
        <span lang="en">{flaws[field]}</span>
      </>
    );

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setNoEvents(events.length === 0);
    if (events.length === 0) return;
    const text = description.trim();
    onSubmit({ url: url.trim(), description: text === '' ? null : text, events });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TextInput
          label={t('Adresse', 'URL')}
          description={t(
            'HTTPS, Port 443 oder ein freier Port ab 1024, aus dem Internet erreichbar; an private Adressen wird nichts gesendet.',
            'HTTPS, port 443 or an unreserved one from 1024 up, reachable from the internet; nothing is sent to private addresses.',
          )}
          placeholder="https://hooks.example.com/training"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={refusal('url')}
          {...(limits && { maxLength: limits.webhooks.url_characters })}
        />
        <TextInput
          label={t('Beschreibung', 'Description')}
          description={t(
            'Wofür dieser Endpunkt da ist; nur Ihr Team liest das.',
            'What it is for; only your team reads it.',
          )}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={refusal('description')}
          {...(limits && { maxLength: limits.webhooks.description_characters })}
        />
        <EventChoice
          value={events}
          onChange={(chosen) => {
            setEvents(chosen);
            setNoEvents(false);
          }}
          error={noEvents ? t('Wählen Sie mindestens ein Ereignis.', 'Choose at least one event.') : refusal('events')}
        />
        {!atField && <ProblemAlert error={error} />}
        <DialogButtons action={action} running={running} onCancel={onCancel} />
      </Stack>
    </form>
  );
};

type EventType = WebhookEndpoint['events'][number];
type Told = EventReference['events'][number];

const isSubscribable = (event: Told): event is Told & { type: EventType } => event.subscribable;

/** One kind of event: what it tells, and on demand how it looks when it arrives. */
const OneEvent = ({ event }: { event: Told }) => {
  const t = useText();
  const id = useId();
  const [open, setOpen] = useState(false);
  const personal = event.fields.filter((field) => field.personal).map(({ name }) => name);
  return (
    <Box>
      <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
        <Checkbox
          value={event.type}
          label={event.type}
          description={event.about}
          styles={{
            label: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, fontWeight: 550 },
            description: { color: 'var(--mantine-color-dimmed)' },
          }}
        />
        <Button
          variant="subtle"
          size="compact-sm"
          color="gray"
          c="dimmed"
          flex="none"
          aria-expanded={open}
          aria-controls={id}
          aria-label={t(`Beispiel für ${event.type}`, `Example of ${event.type}`)}
          rightSection={open ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          {t('Beispiel', 'Example')}
        </Button>
      </Group>
      <Box id={id}>
        <Collapse expanded={open} keepMounted={false}>
          <Stack gap="xs" pt="xs" pb="sm">
            <JsonText label={t(`Inhalt von ${event.type}`, `Body of ${event.type}`)} text={event.example.body} />
            {personal.length > 0 && (
              <Text size="xs" c="dimmed">
                {t(
                  `Nur solange Ihr Team Angaben zu einzelnen Personen zeigt: ${personal.join(', ')}`,
                  `Only while your team shows details about individual people: ${personal.join(', ')}`,
                )}
              </Text>
            )}
          </Stack>
        </Collapse>
      </Box>
    </Box>
  );
};

interface EventChoiceProps {
  value: readonly EventType[];
  onChange: (events: EventType[]) => void;
  error: ReactNode;
}

/** Which events an endpoint is told, each with what it means. */
const EventChoice = ({ value, onChange, error }: EventChoiceProps) => {
  const t = useText();
  const { data, error: failure, refetch } = app.useAnswer('reference.events', {});
  if (!data) {
    return failure ? <ProblemAlert error={failure} retry={() => void refetch()} /> : <Skeleton height={320} />;
  }
  const offered = data.events.filter(isSubscribable);
  const choose = (types: readonly string[]) =>
    onChange(offered.map(({ type }) => type).filter((type) => types.includes(type)));
  const all = value.length === offered.length;
  return (
    <Checkbox.Group
      label={t('Ereignisse', 'Events')}
      description={t('Nur diese werden an die Adresse gesendet.', 'Only these are sent to the address.')}
      withAsterisk
      value={[...value]}
      onChange={choose}
      error={error}
    >
      <Stack gap="sm" mt="sm">
        {offered.map((event) => (
          <OneEvent key={event.type} event={event} />
        ))}
        <Group>
          <Button variant="default" size="xs" onClick={() => choose(all ? [] : offered.map(({ type }) => type))}>
            {all ? t('Keine auswählen', 'Select none') : t('Alle auswählen', 'Select all')}
          </Button>
        </Group>
      </Stack>
    </Checkbox.Group>
  );
};
