import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { DialogButtons } from '../../kit/dialog.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { flawsByField, problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { EventChoice } from './event-choice.tsx';
import type { EventType } from './event-choice.tsx';

export interface WantedEndpoint {
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
export const EndpointForm = ({ initial, action, error, running, onSubmit, onCancel }: EndpointFormProps) => {
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
