import { Box, Button, Checkbox, Collapse, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { EventReference } from '../../../modules/reference/schema.ts';
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { ShownOnce } from '../../kit/text/copy.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { Form, useServerForm, type FieldProps } from '../../kit/form/form.tsx';
import { FoldButton } from '../../kit/page/fold-button.tsx';
import { notify } from '../../kit/page/messages.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { JsonText } from './code-text.tsx';
import { HeadersField } from './endpoint-headers.tsx';
import { flawOfHeaders, headersFor, headersOf, isNewUrl, type HeadersDraft } from './header-rows.ts';
import { SignaturePrograms } from './words.tsx';

/** The secret of a new endpoint, and how to use it. */
export const NewSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => {
  const top = useRef<HTMLDivElement>(null);
  // The form that had the focus no longer exists, and the dialog may be scrolled to its end.
  useEffect(() => {
    top.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <Stack ref={top} tabIndex={-1} style={{ outline: 'none' }}>
      <ShownOnce value={secret} what={t('das Signaturgeheimnis', 'the signing secret')} />
      <Text size="sm">
        {t(
          'Jede Anfrage ist damit signiert. Verarbeiten Sie nur Anfragen mit gültiger Signatur. ',
          'Every request is signed with it. Process only requests with a valid signature. ',
        )}
        <SignaturePrograms />
      </Text>
      <DialogButtons>
        <Button variant="filled" onClick={onDone}>
          {t('Ich habe das Signaturgeheimnis gespeichert', 'I have saved the signing secret')}
        </Button>
      </DialogButtons>
    </Stack>
  );
};

interface NewEndpointDialogProps {
  opened: boolean;
  created: CreatedWebhookEndpoint | undefined;
  onCreated: (endpoint: CreatedWebhookEndpoint) => void;
  onClose: () => void;
}

/** Creates an endpoint, then shows its secret. From then on only the button closes the dialog. */
export const NewEndpointDialog = ({ opened, created, onCreated, onClose }: NewEndpointDialogProps) => {
  const navigate = useNavigate();
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      size="lg"
      title={created ? t('Endpunkt angelegt', 'Endpoint created') : t('Neuer Endpunkt', 'New endpoint')}
      locked={created !== undefined}
    >
      {created ? (
        <NewSecret
          secret={created.secret}
          onDone={() => {
            onClose();
            void navigate(`/webhooks/${created.id}`);
          }}
        />
      ) : (
        <EndpointForm
          initial={{ url: '', description: '', events: [], headers: [] }}
          stored={[]}
          action={t('Endpunkt anlegen', 'Create endpoint')}
          send={(wanted) => client.api.webhooks.create.mutate(wanted)}
          onSent={onCreated}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
};

interface EditEndpointDialogProps {
  endpoint: WebhookEndpoint;
  opened: boolean;
  onClose: () => void;
}

export const EditEndpointDialog = ({ endpoint, opened, onClose }: EditEndpointDialogProps) => {
  const { id, url, description, events } = endpoint;
  const stored = Object.keys(endpoint.headers);
  return (
    <Dialog title={t('Endpunkt bearbeiten', 'Edit endpoint')} opened={opened} onClose={onClose} size="lg">
      <EndpointForm
        initial={{ url, description: description ?? '', events, headers: stored.length === 0 ? [] : undefined }}
        stored={stored}
        action={t('Speichern', 'Save')}
        send={(wanted) => client.api.webhooks.change.mutate({ endpoint_id: id, ...wanted })}
        onSent={() => {
          notify(t('Endpunkt gespeichert.', 'Endpoint saved.'));
          onClose();
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
};

interface EndpointDraft {
  url: string;
  description: string;
  events: EventType[];
  headers: HeadersDraft;
}

type WantedEndpoint = Pick<EndpointDraft, 'url' | 'events'> & { description: string | null } & ReturnType<
    typeof headersOf
  >;

interface EndpointFormProps<Answer> {
  initial: EndpointDraft;
  action: string;
  /** The names of the stored headers. */
  stored: readonly string[];
  send: (wanted: WantedEndpoint) => Promise<Answer>;
  onSent: (answer: Answer) => void;
  onCancel: () => void;
}

function EndpointForm<Answer>({ initial, stored, action, send, onSent, onCancel }: EndpointFormProps<Answer>) {
  const { data: limits } = useQuery(app.reference.limits.queryOptions({}));
  const endpoint = { url: initial.url, stored };
  const form = useServerForm({
    initial,
    draft: { name: 'endpoint', fields: ['url', 'description', 'events'] },
    check: (values) => {
      const flaws = {
        headers: flawOfHeaders(headersFor(values, endpoint)),
        events:
          values.events.length === 0 && t('Wählen Sie mindestens ein Ereignis aus.', 'Select at least one event.'),
      };
      // The server checks the URL, because an operator may allow other addresses. If other mistakes prevent the
      // request, the URL is checked here, so that all mistakes are shown at once.
      const isStopped = flaws.headers !== false || flaws.events !== false;
      const isPlain = !values.url.trim().toLowerCase().startsWith('https://');
      return {
        ...flaws,
        url: isStopped && isPlain && t('Die URL muss mit https:// beginnen.', 'The URL must begin with https://.'),
      };
    },
    send: (values) =>
      send({
        url: values.url.trim(),
        description: values.description.trim() === '' ? null : values.description.trim(),
        events: values.events,
        ...headersOf(headersFor(values, endpoint)),
      }),
    onSent,
  });
  return (
    <Form form={form} action={action} onCancel={onCancel} gap="lg">
      <TextInput
        label={t('URL', 'URL')}
        description={t(
          'Öffentlich erreichbare HTTPS-URL mit Port 443 oder ab 1024.',
          'Public HTTPS URL with port 443, or 1024 and above.',
        )}
        placeholder="https://hooks.example.com/training"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
        {...form.getInputProps('url')}
        {...(limits && { maxLength: limits.webhooks.url_characters })}
      />
      <TextInput
        label={t('Beschreibung', 'Description')}
        description={t('Optional, nur für Ihr Team sichtbar.', 'Optional, visible to your team only.')}
        {...form.getInputProps('description')}
        {...(limits && { maxLength: limits.webhooks.description_characters })}
      />
      <EventChoice {...form.field('events')} />
      <HeadersField
        {...form.field('headers')}
        value={headersFor(form.values, endpoint)}
        stored={stored}
        hasNewUrl={isNewUrl(form.values.url, endpoint)}
      />
    </Form>
  );
}

type EventType = WebhookEndpoint['events'][number];
type DescribedEvent = EventReference['events'][number];

const isSubscribable = (event: DescribedEvent): event is DescribedEvent & { type: EventType } => event.subscribable;

/** An event type with its description, and an example that can be opened. */
const OneEvent = ({ event }: { event: DescribedEvent }) => {
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
        <FoldButton
          variant="subtle"
          color="gray"
          c="dimmed"
          flex="none"
          isOpen={open}
          aria-controls={id}
          aria-label={t(`Beispiel für ${event.type}`, `Example of ${event.type}`)}
          onClick={() => setOpen(!open)}
        >
          {t('Beispiel', 'Example')}
        </FoldButton>
      </Group>
      <Box id={id}>
        <Collapse expanded={open} keepMounted={false}>
          <Stack gap="xs" pt="xs" pb="sm">
            <JsonText label={t(`Body von ${event.type}`, `Body of ${event.type}`)} text={event.example.body} />
            {personal.length > 0 && (
              <Hint size="xs">
                {t(
                  `Entfällt, wenn personenbezogene Daten ausgeblendet sind: ${personal.join(', ')}`,
                  `Omitted when member-level data is hidden: ${personal.join(', ')}`,
                )}
              </Hint>
            )}
          </Stack>
        </Collapse>
      </Box>
    </Box>
  );
};

const EventChoice = ({ value, onChange, error }: FieldProps<EventType[]>) => {
  const query = useQuery(app.reference.events.queryOptions({}));
  const { data } = query;
  if (!data) return <Pending query={query} height={320} />;
  const offered = data.events.filter(isSubscribable);
  const choose = (types: readonly string[]) =>
    onChange(offered.map(({ type }) => type).filter((type) => types.includes(type)));
  const all = value.length === offered.length;
  return (
    <Checkbox.Group
      label={t('Ereignisse', 'Events')}
      description={t('Nur ausgewählte Ereignisse werden gesendet.', 'Only selected events are sent.')}
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
          <Button size="xs" onClick={() => choose(all ? [] : offered.map(({ type }) => type))}>
            {all ? t('Auswahl aufheben', 'Deselect all') : t('Alle auswählen', 'Select all')}
          </Button>
        </Group>
      </Stack>
    </Checkbox.Group>
  );
};
