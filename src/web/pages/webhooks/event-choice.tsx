import { Box, Button, Checkbox, Collapse, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { EventReference } from '../../../modules/reference/schema.ts';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { JsonText } from './code-text.tsx';

export type EventType = WebhookEndpoint['events'][number];
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
export const EventChoice = ({ value, onChange, error }: EventChoiceProps) => {
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
