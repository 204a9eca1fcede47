import { Button, Group, Radio, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { ProviderName } from '../../../modules/crm/providers/provider.ts';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { Notice, notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { currentLanguage, t } from '../../language/language.tsx';
import { errorsByField, problemOf } from '../../server/problem.ts';
import { app, client } from '../../server/server.ts';
import { IntervalField, LabelField, ObjectionFields, TokenField } from './connection-forms.tsx';
import { providerName } from './connection-name.ts';
import { newObjections, settingsOf, type ObjectionDraft } from './objection-settings.ts';
import { ProviderMark } from './connection-words.tsx';

const providers = ['hubspot', 'pipedrive', 'feed'] as const satisfies readonly ProviderName[];

interface Credentials {
  provider: ProviderName;
  url: string;
  token: string;
  settings: ObjectionDraft;
}

const credentialsOf = ({ provider, url, token, settings }: Credentials) => ({
  provider,
  token: token.trim(),
  ...(provider === 'feed' ? { url: url.trim() } : { settings: settingsOf(settings) }),
});

interface ConnectValues extends Credentials {
  label: string;
  interval_seconds: number | undefined;
}

/** Connects a CRM. The credentials can be tested before anything is saved. */
export const ConnectForm = ({ onClose }: { onClose: () => void }) => {
  const language = currentLanguage();
  const navigate = useNavigate();
  const test = useMutation(app.crm.tryConnection.mutationOptions());
  const form = useServerForm<ConnectValues, { connection_id: string }>({
    initial: {
      provider: 'hubspot',
      url: '',
      token: '',
      settings: newObjections(language),
      label: '',
      interval_seconds: undefined,
    },
    // Neither the token nor the URL, which may contain one, is stored in the draft.
    draft: { name: 'connection', fields: ['provider', 'settings', 'label', 'interval_seconds'] },
    send: ({ label, interval_seconds, ...credentials }) => {
      test.reset();
      return client.app.crm.connect.mutate({
        ...credentialsOf(credentials),
        label: label.trim() === '' ? null : label.trim(),
        ...(interval_seconds !== undefined && { interval_seconds }),
      });
    },
    onSent: ({ connection_id }) => {
      notify(t('CRM verbunden.', 'CRM connected.'));
      onClose();
      void navigate(`/crm/${connection_id}`);
    },
    errorsAt: (errors, { code, detail }) => (code === 'conflict' ? { url: detail } : errors),
    resetsOnChange: true,
    // After a change of the credentials, the result of the former test no longer applies.
    onChange: (values, previous) => {
      const isOtherName = values.label !== previous.label || values.interval_seconds !== previous.interval_seconds;
      if (!isOtherName) test.reset();
    },
  });
  const { provider } = form.values;
  const error = form.sending.error ?? test.error;

  const testFirst = (element: HTMLFormElement | null) => {
    form.sending.reset();
    if (element?.reportValidity() !== true) return;
    test.mutate(credentialsOf(form.values), { onError: (failure) => form.setErrors(form.fieldErrorsOf(failure)) });
  };
  return (
    <Form
      form={form}
      action={t('Verbinden', 'Connect')}
      onCancel={onClose}
      gap="lg"
      extra={
        <Button form={form.id} loading={test.isPending} onClick={({ currentTarget }) => testFirst(currentTarget.form)}>
          {t('Zugangsdaten testen', 'Test credentials')}
        </Button>
      }
    >
      <ProviderChoice
        value={provider}
        // The token is cleared, so that one CRM's token is never sent to another one or to a feed.
        onChange={(chosen) => form.setValues({ provider: chosen, token: '' })}
      />
      {provider === 'feed' && (
        <TextInput
          label={t('Feed-URL', 'Feed URL')}
          description={t(
            'Öffentlich erreichbare HTTPS-URL. Weiterleitungen werden nicht unterstützt.',
            'Public HTTPS URL. Redirects are not supported.',
          )}
          placeholder="https://crm.example.com/feed"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          {...form.getInputProps('url')}
        />
      )}
      <TokenField provider={provider} {...form.field('token')} />
      {provider !== 'feed' && <ObjectionFields {...form.field('settings')} />}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <LabelField {...form.field('label')} />
        <IntervalField {...form.field('interval_seconds')} />
      </SimpleGrid>
      {test.isSuccess && <TestSucceeded provider={provider} />}
      {form.isAtField(error) ? (
        <CredentialsRefused
          error={error}
          title={form.sending.error ? t('Nicht verbunden', 'Not connected') : t('Test fehlgeschlagen', 'Test failed')}
        />
      ) : (
        <ProblemAlert error={test.error} />
      )}
    </Form>
  );
};

const TestSucceeded = ({ provider }: { provider: ProviderName }) => (
  <Notice tone="good" role="status" title={t('Test erfolgreich', 'Test succeeded')}>
    {t(
      `${providerName(provider)} hat die Zugangsdaten akzeptiert. Die Verbindung ist noch nicht gespeichert.`,
      `${providerName(provider)} accepted the credentials. The connection is not saved yet.`,
    )}
  </Notice>
);

/** Says that an error is shown at a field. If the form has no field for it, shows the error itself. */
const CredentialsRefused = ({ error, title }: { error: unknown; title: string }) => {
  const { provider } = errorsByField(problemOf(error));
  return (
    <Notice tone="bad" role="alert" title={title}>
      {provider ??
        t('Prüfen Sie das markierte Feld. Es wurde nichts gespeichert.', 'Check the marked field. Nothing was saved.')}
    </Notice>
  );
};

const ProviderChoice = ({ value, onChange }: { value: ProviderName; onChange: (value: ProviderName) => void }) => (
  <Radio.Group
    label="CRM"
    value={value}
    onChange={(chosen) => onChange(providers.find((one) => one === chosen) ?? 'hubspot')}
    description={
      value === 'feed'
        ? t(
            'Für jedes andere CRM: Deals und Einwände werden als JSON von Ihrer URL abgerufen.',
            'For any other CRM: deals and objections are fetched as JSON from your URL.',
          )
        : t('Nur Lesezugriff.', 'Read-only access.')
    }
    inputWrapperOrder={['label', 'input', 'description', 'error']}
  >
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing={10} mb={6}>
      {providers.map((provider) => (
        <Radio.Card key={provider} value={provider} p="sm" radius="md" aria-label={providerName(provider)}>
          <Group gap={10} wrap="nowrap">
            <ProviderMark provider={provider} />
            <Text span size="sm" fw={600} flex={1}>
              {providerName(provider)}
            </Text>
            <Radio.Indicator />
          </Group>
        </Radio.Card>
      ))}
    </SimpleGrid>
  </Radio.Group>
);
