import { Box, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyableId } from '../../kit/text/copy.tsx';
import { number } from '../../kit/text/figures.ts';
import { LastTime, Time } from '../../kit/text/formats.tsx';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { Facts } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client, whileOpen, type AppOutputs } from '../../server/server.ts';
import { requestsText } from '../keys/figures.ts';
import { KeyCreationNotice, Prefix, useKeyCreation } from '../keys/key-words.tsx';
import { NewKeyShown, type ShownKey } from '../keys/new-key.tsx';
import { AnswerStatus, Route } from '../requests/request-parts.tsx';
import { adviceOnRefusal } from './directory-words.ts';
import { knownPeopleText } from './figures.ts';
import { SectionPanel } from './sections.tsx';
import { Step, StepList } from './steps.tsx';

type DirectoryState = AppOutputs['directory']['state'];

/** The company's directory (SCIM): how it is connected, in three steps, and which of its requests were refused. */
export const Directory = () => {
  const query = useQuery(app.directory.state.queryOptions({}, whileOpen));
  const { data } = query;
  return (
    <SectionPanel
      section="directory"
      lead={
        <>
          {t(
            'Okta, Microsoft Entra ID und andere Verzeichnisse legen Mitglieder an, ändern sie und entfernen, wer das Unternehmen verlässt.',
            'Okta, Microsoft Entra ID and other directories add members, change them, and remove those who leave the company.',
          )}{' '}
          <DocsLink page="directory">{t('Anleitung', 'Guide')}</DocsLink>
        </>
      }
    >
      {data ? (
        <>
          <Steps state={data} />
          {data.refusals.length > 0 && <Refusals state={data} />}
        </>
      ) : (
        <Pending query={query} height={300} />
      )}
    </SectionPanel>
  );
};

const Steps = ({ state }: { state: DirectoryState }) => {
  const { address, people, last } = state;
  const keys = state.keys.filter(({ status }) => status === 'active');
  const isKnown = people.active + people.invited + people.deactivated > 0;
  return (
    <StepList>
      <Step
        number={1}
        title={t('Schlüssel', 'Key')}
        active={keys.length > 0}
        state={keys.length > 0 ? t('Angelegt', 'Created') : t('Offen', 'To do')}
      >
        <Keys keys={keys} />
      </Step>
      <Step
        number={2}
        title={t('Im Verzeichnis eintragen', 'Enter in the directory')}
        active={last !== null}
        state={last ? t('Anfragen kommen an', 'Requests arrive') : t('Noch keine Anfrage', 'No requests yet')}
      >
        <Facts
          facts={[
            { name: t('Adresse', 'Address'), value: <CopyableId id={address} what={t('Adresse', 'address')} /> },
            last !== null && { name: t('Letzte Anfrage', 'Last request'), value: <LastRequest request={last} /> },
          ]}
        />
        <Hint>
          {t(
            'Jedes Feld mit seinem Wert steht in der Anleitung für ',
            'Every field and its value are in the guide for ',
          )}
          <DocsLink page="directory-okta">Okta</DocsLink>
          {t(' und für ', ' and for ')}
          <DocsLink page="directory-entra">Microsoft Entra ID</DocsLink>
          {'. '}
          {last === null &&
            t(
              'Anfragen mit einem falschen Schlüssel erscheinen hier nicht: Ihr Verzeichnis zeigt dann 401.',
              'Requests with a wrong key do not appear here: your directory shows 401 then.',
            )}
        </Hint>
      </Step>
      <Step
        number={3}
        title={t('Personen', 'People')}
        active={isKnown}
        state={isKnown ? knownPeopleText(people) : t('Noch niemand', 'Nobody yet')}
      >
        {isKnown && (
          <Facts
            facts={[
              { name: t('Aktiv', 'Active'), value: number(people.active) },
              { name: t('Eingeladen', 'Invited'), value: number(people.invited) },
              { name: t('Deaktiviert', 'Deactivated'), value: number(people.deactivated) },
            ]}
          />
        )}
        <Hint>
          {t(
            'Wen das Verzeichnis deaktiviert, der ist sofort kein Mitglied mehr: Sitzungen enden, Aufgaben werden zurückgezogen, der Platz wird frei. ',
            'People whom the directory deactivates stop being members at once: sessions end, assignments are withdrawn, the seat is free. ',
          )}
          {isKnown && (
            <TextLink to="/members?directory=known">
              {t('Mitglieder aus dem Verzeichnis', 'Members from the directory')}
            </TextLink>
          )}
        </Hint>
      </Step>
    </StepList>
  );
};

/** The keys that the directory can use, and a button for a further one. */
const Keys = ({ keys }: { keys: DirectoryState['keys'] }) => {
  const creation = useKeyCreation();
  // The form stays until it has shown the new key, which is shown only once.
  const [adding, setAdding] = useState(keys.length === 0);
  const [shown, setShown] = useState<ShownKey>();
  return (
    <>
      {keys.length > 0 && (
        <DataTable
          label={t('Schlüssel für das Verzeichnis', 'Keys for the directory')}
          list={{ rows: keys }}
          keyOf={({ key_id }) => key_id}
          columns={[
            { label: t('Name', 'Name'), cell: ({ name }) => name, to: ({ key_id }) => `/keys/${key_id}` },
            { label: t('Präfix', 'Prefix'), cell: ({ prefix }) => <Prefix prefix={prefix} breaks />, priority: 1 },
            { label: t('Zuletzt verwendet', 'Last used'), cell: ({ last_used_at: at }) => <LastTime at={at} /> },
          ]}
        />
      )}
      {creation !== 'allowed' && <KeyCreationNotice creation={creation} />}
      {creation === 'allowed' &&
        (keys.length > 0 && !adding ? (
          <Group>
            <Button onClick={() => setAdding(true)}>{t('Weiteren Schlüssel anlegen', 'Create another key')}</Button>
          </Group>
        ) : (
          <NewKey
            onCreated={(key) => {
              setAdding(false);
              setShown(key);
            }}
          />
        ))}
      <NewKeyShown
        title={t('Ihr neuer Schlüssel', 'Your new key')}
        shown={shown}
        onClose={() => setShown(undefined)}
        trial={{
          path: '/scim/v2/ServiceProviderConfig',
          about: t(
            'Die Antwort sagt, was der Dienst Ihrem Verzeichnis bietet. Tragen Sie den Schlüssel nur dort ein.',
            'The response says what the service offers your directory. Enter the key only there.',
          ),
        }}
      />
    </>
  );
};

const NewKey = ({ onCreated }: { onCreated: (key: ShownKey) => void }) => {
  const limits = useQuery(app.reference.limits.queryOptions({})).data;
  const form = useServerForm({
    initial: { name: t('Verzeichnis', 'Directory') },
    send: ({ name }) => client.app.keys.create.mutate({ name, scopes: ['directory:manage'] }),
    onSent: onCreated,
  });
  return (
    <Form form={form} place="panel" action={t('Schlüssel anlegen', 'Create key')}>
      <TextInput
        label={t('Name des Schlüssels', 'Name of the key')}
        description={t(
          'Der Schlüssel hat nur die Berechtigung für das Verzeichnis. Erlaubte Adressen und ein Ablaufdatum gibt es unter „API-Schlüssel“.',
          'The key has only the scope for the directory. For allowed addresses and an expiry date, use “API keys”.',
        )}
        required
        maxLength={limits?.key_name_characters}
        {...form.getInputProps('name')}
      />
    </Form>
  );
};

type DirectoryRequest = Pick<NonNullable<DirectoryState['last']>, 'id' | 'method' | 'route' | 'status' | 'created_at'>;

const LastRequest = ({ request: { id, method, route, status, created_at: at } }: { request: DirectoryRequest }) => (
  <Group gap="xs" fz="sm">
    <Time at={at} />
    <TextLink to={`/requests/${id}`} ff="monospace">
      <Route text={`${method} ${route}`} />
    </TextLink>
    <AnswerStatus status={status} />
  </Group>
);

/** The directory's requests that were refused lately, each with the next step. */
const Refusals = ({ state: { days, refusals } }: { state: DirectoryState }) => (
  <Stack gap="md" mt="lg">
    <Title order={3} size="h5">
      {t(`Fehler der letzten ${days} Tage`, `Errors of the last ${days} days`)}
    </Title>
    <Box component="ul" m={0} p={0} style={{ listStyle: 'none', display: 'grid', gap: 'var(--mantine-spacing-md)' }}>
      {refusals.map((refusal) => (
        <li key={refusal.id}>
          <LastRequest request={refusal} />
          {refusal.detail !== null && (
            <Hint lang="en" style={{ overflowWrap: 'anywhere' }}>
              {refusal.detail}
            </Hint>
          )}
          <Text size="sm">{adviceOnRefusal(refusal)}</Text>
          {refusal.requests > 1 && <Hint size="xs">{requestsText(refusal.requests)}</Hint>}
        </li>
      ))}
    </Box>
    <Text size="sm">
      <DocsLink page="directory#errors">{t('Alle Fehler und was zu tun ist', 'All errors and what to do')}</DocsLink>
    </Text>
  </Stack>
);
