import { Button, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useNavigate } from 'react-router';
import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import { Dialog, DialogButtons } from '../../kit/dialog.tsx';
import { Notice, ProblemAlert, tell } from '../../kit/messages.tsx';
import { useLanguage, useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import {
  IntervalField,
  LabelField,
  ObjectionFields,
  settingsOf,
  TokenField,
  useRefusals,
} from './connection-forms.tsx';
import type { ObjectionDraft } from './connection-forms.tsx';
import { ProviderMark, useProviderName } from './connection-words.tsx';
import classes from './crm.module.css';
import { placeInWords } from './german-reasons.ts';

const providers = ['hubspot', 'pipedrive', 'feed'] as const satisfies readonly ProviderName[];

const ProviderChoice = ({ value, onChange }: { value: ProviderName; onChange: (value: ProviderName) => void }) => {
  const t = useText();
  const providerName = useProviderName();
  return (
    <Radio.Group
      label="CRM"
      value={value}
      onChange={(chosen) => onChange(providers.find((one) => one === chosen) ?? 'hubspot')}
      description={
        value === 'feed'
          ? t(
              'Für jedes andere CRM: Wir rufen Deals und Einwände als JSON von Ihrer Adresse ab.',
              'For every other CRM: we fetch deals and objections as JSON from your address.',
            )
          : t('Es wird nur gelesen, nie geschrieben.', 'It is only read, never written to.')
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div className={classes['providers']}>
        {providers.map((provider) => (
          <Radio.Card
            key={provider}
            value={provider}
            className={classes['provider'] ?? ''}
            radius="md"
            aria-label={providerName(provider)}
          >
            <ProviderMark provider={provider} />
            <Text span size="sm" fw={600}>
              {providerName(provider)}
            </Text>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
};

const fields = ['provider', 'url', 'token', 'label', 'interval_seconds', 'settings'];

const Inside = ({ onClose }: { onClose: () => void }) => {
  const t = useText();
  const { language } = useLanguage();
  const navigate = useNavigate();
  const providerName = useProviderName();
  const attempt = app.useChange('crm.tryConnection');
  const connect = app.useChange('crm.connect');
  const [provider, setProvider] = useState<ProviderName>('hubspot');
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const [label, setLabel] = useState('');
  const [seconds, setSeconds] = useState<number>();
  const [objections, setObjections] = useState<ObjectionDraft>({
    source: 'lost reason',
    text: '',
    category: 'other',
    lang: language,
  });
  const error = connect.error ?? attempt.error;
  const refusals = useRefusals(error, fields);
  const isConnected = problemOf(connect.error)?.code === 'conflict';
  const place = placeInWords(refusals.textOf('url') ?? '');

  /** After a change, the result of the former test no longer applies. */
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      attempt.reset();
      connect.reset();
    };
  /** The token is cleared, so that one CRM's token is never sent to another one or to a feed. */
  const choose = (chosen: ProviderName) => {
    setProvider(chosen);
    setToken('');
  };
  const credentials = {
    provider,
    token: token.trim(),
    ...(provider === 'feed' ? { url: url.trim() } : { settings: settingsOf(objections) }),
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    attempt.reset();
    const name = label.trim();
    connect.mutate(
      {
        ...credentials,
        label: name === '' ? null : name,
        ...(seconds !== undefined && { interval_seconds: seconds }),
      },
      {
        onSuccess: ({ connection_id }) => {
          tell(t('Das CRM ist verbunden.', 'The CRM is connected.'));
          onClose();
          void navigate(`/crm/${connection_id}`);
        },
      },
    );
  };
  const tryFirst = (form: HTMLFormElement | null) => {
    connect.reset();
    if (form?.reportValidity() === true) attempt.mutate(credentials);
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <ProviderChoice value={provider} onChange={changing(choose)} />
        {provider === 'feed' && (
          <TextInput
            label={t('Adresse des Feeds', 'Feed URL')}
            description={t(
              'HTTPS und aus dem Internet erreichbar. Weiterleitungen werden nicht unterstützt.',
              'HTTPS and reachable from the internet. Redirects are not supported.',
            )}
            placeholder="https://crm.example.com/feed"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            required
            value={url}
            onChange={(event) => changing(setUrl)(event.currentTarget.value)}
            error={
              isConnected
                ? t(
                    'Ihr Team hat schon eine Verbindung zu diesem Feed.',
                    'Your team has a connection to this feed already.',
                  )
                : refusals.at('url')
            }
          />
        )}
        <TokenField provider={provider} value={token} onChange={changing(setToken)} error={refusals.at('token')} />
        {provider !== 'feed' && (
          <ObjectionFields value={objections} onChange={changing(setObjections)} error={refusals.at('settings')} />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <LabelField value={label} onChange={setLabel} error={refusals.at('label')} />
          <IntervalField value={seconds} onChange={setSeconds} error={refusals.at('interval_seconds')} />
        </SimpleGrid>
        {attempt.isSuccess && (
          <Notice tone="good" role="status" title={t('Der Test war erfolgreich', 'The test succeeded')}>
            {t(
              `${providerName(provider)}: Die Zugangsdaten wurden angenommen. Gespeichert ist noch nichts.`,
              `${providerName(provider)}: the credentials were accepted. Nothing is saved yet.`,
            )}
          </Notice>
        )}
        {(refusals.has || isConnected) && error !== null && (
          <Notice
            tone="bad"
            role="alert"
            title={
              connect.error
                ? t('Nicht verbunden', 'Not connected')
                : t('Der Test ist fehlgeschlagen', 'The test failed')
            }
          >
            {refusals.at('provider') ?? (
              <>
                {place === undefined
                  ? t('Prüfen Sie das markierte Feld.', 'Check the marked field.')
                  : t(
                      `Die Antwort des Feeds hat nicht die richtige Form: ${place.de}.`,
                      `The feed’s answer does not have the right form: ${place.en}.`,
                    )}{' '}
                {t('Gespeichert wurde nichts.', 'Nothing was saved.')}
              </>
            )}
          </Notice>
        )}
        {!refusals.has && !isConnected && <ProblemAlert error={error} />}
        <DialogButtons action={t('Verbinden', 'Connect')} running={connect.isPending} onCancel={onClose}>
          <Button
            variant="default"
            loading={attempt.isPending}
            onClick={({ currentTarget }) => tryFirst(currentTarget.form)}
          >
            {t('Zugangsdaten testen', 'Test credentials')}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
};

/** Connects a CRM. The credentials can be tested before anything is saved. */
export const ConnectDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const t = useText();
  return (
    <Dialog title={t('CRM verbinden', 'Connect a CRM')} opened={opened} onClose={onClose} size="lg">
      <Inside onClose={onClose} />
    </Dialog>
  );
};
