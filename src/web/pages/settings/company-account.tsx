import { Button, Divider, Group, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DocsLink, Hint } from '../../kit/text/text.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { CopyableId } from '../../kit/text/copy.tsx';
import { Facts, Status } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { roleName } from '../../kit/names/members.tsx';
import { Pending } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { SectionPanel } from './sections.tsx';

type State = AppOutputs['companySignIn']['state'];
type Demand = State['demand'];

/** Signing in with the company account: the provider, the domains, and whether the team demands it. */
export const CompanyAccount = () => {
  const query = useQuery(app.companySignIn.state.queryOptions({}));
  const { data } = query;
  const provider = data?.provider;
  return (
    <>
      <SectionPanel
        section="company-account"
        lead={
          <>
            {t(
              'Mitglieder melden sich über den Identitätsanbieter Ihres Unternehmens an (OpenID Connect).',
              'Members sign in through your company’s identity provider (OpenID Connect).',
            )}{' '}
            <DocsLink page="company-account">{t('Anleitung', 'Guide')}</DocsLink>
          </>
        }
        actions={
          provider && (
            <Status tone={provider.enabled ? 'good' : 'plain'}>
              {provider.enabled ? t('Aktiviert', 'Enabled') : t('Deaktiviert', 'Disabled')}
            </Status>
          )
        }
      >
        {data ? (
          <Stack gap="lg">
            <Facts
              facts={[
                {
                  name: t('Weiterleitungs-URI Ihres Teams', 'Your team’s redirect URI'),
                  value: <CopyableId id={data.redirect_uri} what={t('Weiterleitungs-URI', 'redirect URI')} />,
                },
              ]}
            />
            <Hint>
              {t(
                'Tragen Sie genau diese Adresse beim Anbieter ein. Jedes Team hat eine eigene.',
                'Enter exactly this address at the provider. Each team has its own.',
              )}
            </Hint>
            <ProviderForm provider={provider ?? null} />
            {provider && <Switches isOn={provider.enabled} />}
            {provider && <Divider />}
            {provider && <Domains state={data} />}
          </Stack>
        ) : (
          <Pending query={query} height={300} />
        )}
      </SectionPanel>
      {data && <DemandForm demand={data.demand} hasProvider={provider?.enabled === true} />}
    </>
  );
};

const ProviderForm = ({ provider }: { provider: State['provider'] }) => {
  const form = useServerForm({
    initial: {
      issuer: provider?.issuer ?? '',
      client_id: provider?.client_id ?? '',
      client_secret: '',
      role: provider?.role ?? ('member' as const),
    },
    send: ({ client_secret: secret, ...values }) =>
      client.app.companySignIn.save.mutate({ ...values, ...(secret !== '' && { client_secret: secret }) }),
    onSent: (_answer, _values, { setFieldValue }) => setFieldValue('client_secret', ''),
    done: t('Anbieter gespeichert.', 'Provider saved.'),
    errorsAt: (errors, { field, detail }) => (field === undefined ? errors : { ...errors, [field]: detail }),
    draft: { name: 'company account', fields: ['issuer', 'client_id', 'role'] },
  });
  return (
    <Form form={form} place="panel" action={t('Prüfen und speichern', 'Check and save')}>
      <TextInput
        label={t('Adresse des Anbieters (Issuer)', 'Address of the provider (issuer)')}
        description={t(
          'Vor dem Speichern lesen wir dort das Discovery-Dokument.',
          'Before saving, we read the discovery document there.',
        )}
        placeholder="https://login.example.com/tenant"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        required
        {...form.getInputProps('issuer')}
      />
      <TextInput
        label={t('Client-ID', 'Client ID')}
        autoComplete="off"
        spellCheck={false}
        required
        {...form.getInputProps('client_id')}
      />
      <PasswordInput
        label={t('Client-Secret', 'Client secret')}
        description={
          provider
            ? t('Leer lassen, um das gespeicherte zu behalten.', 'Leave empty to keep the stored one.')
            : t('Wird verschlüsselt gespeichert und nicht mehr angezeigt.', 'Stored encrypted and never shown again.')
        }
        autoComplete="off"
        required={!provider}
        visibilityToggleButtonProps={{ 'aria-label': t('Client-Secret anzeigen', 'Show client secret') }}
        {...form.getInputProps('client_secret')}
      />
      <Radio.Group
        label={t('Rolle neuer Mitglieder', 'Role of new members')}
        description={t(
          'Wer sich zum ersten Mal anmeldet, tritt dem Team bei, solange ein Platz frei ist.',
          'People who sign in for the first time join the team, as long as a seat is available.',
        )}
        {...form.field('role')}
      >
        <Group mt="xs">
          <Radio value="member" label={roleName('member')} />
          <Radio value="admin" label={roleName('admin')} />
        </Group>
      </Radio.Group>
    </Form>
  );
};

const Switches = ({ isOn }: { isOn: boolean }) => {
  const confirm = useConfirm();
  const endsSessions = t(
    'Alle Sitzungen, die mit dem Firmenkonto begonnen haben, werden beendet, ebenso die darin verbundenen Assistenten.',
    'All sessions that began with the company account will end, and so will the assistants connected in them.',
  );
  const switchTo = (enabled: boolean) => () => client.app.companySignIn.switch.mutate({ enabled });
  return (
    <Group>
      {isOn ? (
        <Button
          onClick={() =>
            confirm({
              title: t('Firmenkonto deaktivieren?', 'Disable the company account?'),
              consequences: endsSessions,
              action: t('Deaktivieren', 'Disable'),
              harmless: true,
              act: switchTo(false),
              done: t('Firmenkonto deaktiviert.', 'Company account disabled.'),
            })
          }
        >
          {t('Deaktivieren', 'Disable')}
        </Button>
      ) : (
        <ActionButton act={switchTo(true)} done={t('Firmenkonto aktiviert.', 'Company account enabled.')}>
          {t('Aktivieren', 'Enable')}
        </ActionButton>
      )}
      <Button
        onClick={() =>
          confirm({
            title: t('Anbieter löschen?', 'Delete the provider?'),
            consequences: `${endsSessions} ${t('Auch die Domains werden gelöscht.', 'The domains are deleted, too.')}`,
            action: t('Löschen', 'Delete'),
            act: () => client.app.companySignIn.remove.mutate({}),
            done: t('Anbieter gelöscht.', 'Provider deleted.'),
          })
        }
      >
        {t('Anbieter löschen', 'Delete provider')}
      </Button>
    </Group>
  );
};

const Domains = ({ state: { domains, record_value: value } }: { state: State }) => {
  const confirm = useConfirm();
  const form = useServerForm({
    initial: { domain: '' },
    send: ({ domain }) => client.app.companySignIn.addDomain.mutate({ domain }),
    onSent: (_answer, _values, { reset }) => reset(),
    done: t('Domain hinzugefügt.', 'Domain added.'),
  });
  return (
    <Stack>
      <div>
        <Text fw={600}>{t('Domains', 'Domains')}</Text>
        <Hint>
          {t(
            'Nur Adressen dieser Domains können sich anmelden. Bestätigen Sie jede Domain mit einem TXT-Eintrag im DNS, der diesen Wert hat:',
            'Only addresses of these domains can sign in. Confirm each domain with a DNS TXT record that has this value:',
          )}
        </Hint>
        <CopyableId id={value} what={t('Wert', 'value')} />
      </div>
      <DataTable
        label={t('Domains', 'Domains')}
        list={{ rows: domains }}
        keyOf={({ domain }) => domain}
        none={t('Noch keine Domain', 'No domains yet')}
        columns={[
          { label: t('Domain', 'Domain'), cell: ({ domain }) => domain },
          {
            label: t('Name des TXT-Eintrags', 'Name of the TXT record'),
            cell: ({ record }) => <CopyableId id={record} what={t('Name', 'name')} />,
          },
          {
            label: t('Status', 'Status'),
            cell: ({ proven }) =>
              proven ? (
                <Status tone="good">{t('Bestätigt', 'Confirmed')}</Status>
              ) : (
                <Status tone="warn">{t('Nicht bestätigt', 'Not confirmed')}</Status>
              ),
          },
        ]}
        actionsWidth={130}
        actions={({ domain, proven }) => (
          <Group gap="xs" justify="flex-end" align="flex-start">
            {!proven && (
              <ActionButton
                size="xs"
                aria-label={t(`${domain} prüfen`, `Check ${domain}`)}
                act={() => client.app.companySignIn.proveDomain.mutate({ domain })}
                done={t('Domain bestätigt.', 'Domain confirmed.')}
              >
                {t('Prüfen', 'Check')}
              </ActionButton>
            )}
            <Button
              size="xs"
              aria-label={t(`${domain} entfernen`, `Remove ${domain}`)}
              onClick={() =>
                confirm({
                  title: t(`${domain} entfernen?`, `Remove ${domain}?`),
                  consequences: t(
                    'Personen mit Adressen dieser Domain können sich nicht mehr mit dem Firmenkonto anmelden. Ihre Sitzungen mit dem Firmenkonto werden beendet, ebenso die darin verbundenen Assistenten.',
                    'People with addresses of this domain can no longer sign in with the company account. Their sessions with the company account will end, and so will the assistants connected in them.',
                  ),
                  action: t('Entfernen', 'Remove'),
                  act: () => client.app.companySignIn.removeDomain.mutate({ domain }),
                  done: t('Domain entfernt.', 'Domain removed.'),
                })
              }
            >
              {t('Entfernen', 'Remove')}
            </Button>
          </Group>
        )}
      />
      <Form form={form} place="panel" action={t('Domain hinzufügen', 'Add domain')}>
        <TextInput
          label={t('Neue Domain', 'New domain')}
          placeholder="example.com"
          autoComplete="off"
          spellCheck={false}
          required
          {...form.getInputProps('domain')}
        />
      </Form>
    </Stack>
  );
};

const DemandForm = ({ demand, hasProvider }: { demand: Demand; hasProvider: boolean }) => {
  const form = useServerForm({
    initial: { demand },
    send: (values) => client.app.companySignIn.demand.mutate(values),
    done: t('Anmelderichtlinie gespeichert.', 'Required sign-in saved.'),
  });
  const chosen = form.values.demand;
  return (
    <SectionPanel
      section="required-sign-in"
      lead={t(
        'Gilt ab der nächsten Anfrage jeder Sitzung und jedes verbundenen Assistenten, nicht für API-Schlüssel.',
        'Applies from the next request of every session and connected assistant, not to API keys.',
      )}
    >
      <Form form={form} place="panel" action={t('Speichern', 'Save')} disabled={chosen === demand}>
        <Radio.Group label={t('Mitglieder melden sich an', 'Members sign in')} {...form.field('demand')}>
          <Stack gap="xs" mt="xs">
            <Radio value="none" label={t('mit einer beliebigen Methode', 'with any method')} />
            <Radio
              value="second_factor"
              label={t(
                'mit Zwei-Faktor-Authentifizierung, einem Passkey oder dem Firmenkonto',
                'with two-factor authentication, a passkey or the company account',
              )}
              description={t(
                'Dazu müssen Sie selbst so angemeldet sein.',
                'To choose this, you must be signed in this way yourself.',
              )}
            />
            <Radio
              value="company"
              disabled={!hasProvider}
              label={t('nur mit dem Firmenkonto', 'only with the company account')}
              description={t(
                'Dazu müssen Sie selbst mit dem Firmenkonto angemeldet sein. Der Inhaber kann sich weiterhin auch anders anmelden.',
                'To choose this, you must be signed in with the company account yourself. The owner can still sign in in another way.',
              )}
            />
          </Stack>
        </Radio.Group>
      </Form>
    </SectionPanel>
  );
};
