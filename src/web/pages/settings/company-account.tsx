import { Button, Group, PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { undoable } from '../../kit/dialog/undo.ts';
import { CopyableId } from '../../kit/text/copy.tsx';
import { Facts, Status } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { roleName } from '../../kit/names/member-words.ts';
import { Pending } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { CompanyButton } from '../../session/company-account.tsx';
import { noteCompanyTest } from '../../session/company-test-mark.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { disabling } from './changes.ts';
import { confirmedDomainsText, missingText } from './figures.ts';
import { providerValues, secretToSend } from './provider-values.ts';
import { addressOf } from './rights.ts';
import { SectionPanel } from './sections.tsx';
import { Step, StepList } from './steps.tsx';

type CompanySignInState = AppOutputs['companySignIn']['state'];

/** Signing in with the company account, in steps. */
export const CompanyAccount = () => {
  const query = useQuery(app.companySignIn.state.queryOptions({}));
  const { data } = query;
  return (
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
      actions={data?.provider && <Usability state={data} />}
    >
      {data ? <Steps state={data} /> : <Pending query={query} height={300} />}
    </SectionPanel>
  );
};

const Usability = ({ state }: { state: CompanySignInState }) => {
  const missing = missingText(state);
  if (missing !== undefined) return <Status tone="warn">{missing}</Status>;
  return state.provider?.enabled === true ? (
    <Status tone="good">{t('Nutzbar', 'Usable')}</Status>
  ) : (
    <Status tone="plain">{t('Deaktiviert', 'Disabled')}</Status>
  );
};

const Steps = ({ state }: { state: CompanySignInState }) => {
  const { provider, domains, demand, planned } = state;
  const proven = domains.filter((one) => one.proven).length;
  const hasDirectory = useQuery(app.team.settings.queryOptions({})).data?.has_directory === true;
  const isTested = typeof provider?.tested_at === 'string';
  const unproven = domains.length > 0 ? t('Bestätigung offen', 'To be confirmed') : t('Offen', 'To do');
  const optional = planned?.demand === 'company' ? t('Geplant', 'Planned') : t('Freiwillig', 'Optional');
  return (
    <StepList>
      <Step
        number={1}
        title={t('Anbieter', 'Provider')}
        active={provider !== null}
        state={provider ? t('Gespeichert', 'Saved') : t('Offen', 'To do')}
      >
        <Facts
          facts={[
            {
              name: t('Weiterleitungs-URI Ihres Teams', 'Your team’s redirect URI'),
              value: <CopyableId id={state.redirect_uri} what={t('Weiterleitungs-URI', 'redirect URI')} />,
            },
          ]}
        />
        <Hint>
          {t(
            'Tragen Sie genau diese Adresse beim Anbieter ein. Jedes Team hat eine eigene.',
            'Enter exactly this address at the provider. Each team has its own.',
          )}
        </Hint>
        <Provider provider={provider} />
      </Step>
      <Step
        number={2}
        title={t('Domains', 'Domains')}
        active={proven > 0}
        state={proven > 0 ? confirmedDomainsText(proven) : unproven}
      >
        {provider ? (
          <Domains state={state} />
        ) : (
          <Hint>{t('Speichern Sie zuerst den Anbieter.', 'Save the provider first.')}</Hint>
        )}
      </Step>
      <Step
        number={3}
        title={t('Testanmeldung', 'Test sign-in')}
        active={isTested}
        state={isTested ? t('Erfolgreich', 'Successful') : t('Noch nicht getestet', 'Not tested yet')}
      >
        <TestSignIn ready={provider !== null && proven > 0} />
      </Step>
      <Step
        number={4}
        title={t('Verlangen', 'Require')}
        active={demand === 'company'}
        state={demand === 'company' ? t('Verlangt', 'Required') : optional}
      >
        <Hint>
          {t(
            'Bis dahin können sich Mitglieder weiterhin auch anders anmelden. ',
            'Until then, members can still sign in another way, too. ',
          )}
          <TextLink to={addressOf('required-sign-in')}>{t('Zur Anmelderichtlinie', 'To the sign-in policy')}</TextLink>
        </Hint>
      </Step>
      <Step
        number={5}
        title={t('Personen, die das Unternehmen verlassen', 'People who leave the company')}
        active={hasDirectory}
        state={hasDirectory ? t('Verzeichnis verbunden', 'Directory connected') : t('Freiwillig', 'Optional')}
      >
        <Hint>
          {t(
            'Personen, deren Konto beim Anbieter geschlossen ist, können sich nicht mehr anmelden, bleiben aber Mitglieder und belegen einen Platz. Ein verbundenes Verzeichnis entfernt sie automatisch. ',
            'People whose account at the provider is closed can no longer sign in, but stay members and take a seat. A connected directory removes them automatically. ',
          )}
          <TextLink to={addressOf('directory')}>{t('Zum Verzeichnis', 'To the directory')}</TextLink>
        </Hint>
      </Step>
    </StepList>
  );
};

/** Leads to the provider and back, without signing anybody in. */
const TestSignIn = ({ ready }: { ready: boolean }) => {
  const { team } = useSignedIn();
  return (
    <>
      <Hint>
        {t(
          'Öffnet die Seite des Anbieters und kehrt hierher zurück. Niemand wird dadurch angemeldet oder Mitglied.',
          'Opens the provider’s page and returns here. Nobody is signed in or becomes a member.',
        )}
      </Hint>
      <Group>
        <CompanyButton
          disabled={!ready}
          start={async () => {
            noteCompanyTest();
            const wanted = { tenant_id: team.tenant_id };
            return (await client.entrance.account.startCompanyTest.mutate(wanted)).redirect_to;
          }}
        >
          {t('Anmeldung testen', 'Test sign-in')}
        </CompanyButton>
      </Group>
    </>
  );
};

/** The stored provider, or the form for it. */
const Provider = ({ provider }: { provider: CompanySignInState['provider'] }) => {
  // After the first provider is saved, the form stays until it calls `onSaved`, so that it can confirm this first.
  const [editing, setEditing] = useState(!provider);
  if (editing || !provider) {
    return (
      <ProviderForm
        provider={provider}
        onSaved={() => setEditing(false)}
        cancel={provider && <Button onClick={() => setEditing(false)}>{t('Abbrechen', 'Cancel')}</Button>}
      />
    );
  }
  return (
    <>
      <Facts
        facts={[
          { name: t('Adresse des Anbieters', 'Address of the provider'), value: provider.issuer },
          { name: t('Client-ID', 'Client ID'), value: provider.client_id },
          { name: t('Rolle neuer Mitglieder', 'Role of new members'), value: roleName(provider.role) },
        ]}
      />
      <Group>
        <Button onClick={() => setEditing(true)}>{t('Bearbeiten', 'Edit')}</Button>
        <Switches provider={provider} />
      </Group>
    </>
  );
};

interface ProviderFormProps {
  provider: CompanySignInState['provider'];
  onSaved: () => void;
  cancel?: ReactNode;
}

const ProviderForm = ({ provider, onSaved, cancel }: ProviderFormProps) => {
  const form = useServerForm({
    initial: providerValues(provider),
    send: ({ client_secret: secret, ...values }) =>
      client.app.companySignIn.save.mutate({ ...values, ...secretToSend(secret) }),
    onSent: (_answer, _values, { setFieldValue }) => {
      setFieldValue('client_secret', '');
      onSaved();
    },
    done: t('Anbieter gespeichert.', 'Provider saved.'),
    errorsAt: (errors, { field, detail }) => (field === undefined ? errors : { ...errors, [field]: detail }),
    draft: { name: 'company account', fields: ['issuer', 'client_id', 'role'] },
  });
  return (
    <Form form={form} place="panel" action={t('Prüfen und speichern', 'Check and save')} extra={cancel}>
      <TextInput
        label={t('Adresse des Anbieters (Issuer)', 'Address of the provider (issuer)')}
        description={t('Beim Speichern prüfen wir diese Adresse.', 'We check this address when you save.')}
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

const Switches = ({
  provider: { enabled: isOn, issuer },
}: {
  provider: NonNullable<CompanySignInState['provider']>;
}) => {
  const confirm = useConfirm();
  const endsSessions = t(
    'Alle Sitzungen, die mit dem Firmenkonto begonnen haben, werden beendet, ebenso die darin verbundenen Assistenten.',
    'All sessions that began with the company account will end, and so will the assistants connected in them.',
  );
  const switchTo = (wanted: { enabled: boolean }) => client.app.companySignIn.switch.mutate(wanted);
  return (
    <>
      {isOn ? (
        <Button
          onClick={() =>
            confirm({
              title: t('Firmenkonto deaktivieren?', 'Disable the company account?'),
              consequences: endsSessions,
              action: t('Deaktivieren', 'Disable'),
              harmless: true,
              ...undoable(switchTo, disabling()),
              done: t('Firmenkonto deaktiviert.', 'Company account disabled.'),
            })
          }
        >
          {t('Deaktivieren', 'Disable')}
        </Button>
      ) : (
        <ActionButton
          act={() => switchTo({ enabled: true })}
          done={t('Firmenkonto aktiviert.', 'Company account enabled.')}
        >
          {t('Aktivieren', 'Enable')}
        </ActionButton>
      )}
      <Button
        onClick={() =>
          confirm({
            title: t('Anbieter löschen?', 'Delete the provider?'),
            consequences: `${endsSessions} ${t('Auch die Domains werden gelöscht.', 'The domains are deleted, too.')}`,
            typed: issuer,
            action: t('Löschen', 'Delete'),
            act: () => client.app.companySignIn.remove.mutate({}),
            done: t('Anbieter gelöscht.', 'Provider deleted.'),
          })
        }
      >
        {t('Anbieter löschen', 'Delete provider')}
      </Button>
    </>
  );
};

const Domains = ({ state: { domains, record_value: value } }: { state: CompanySignInState }) => {
  const confirm = useConfirm();
  const form = useServerForm({
    initial: { domain: '' },
    send: ({ domain }) => client.app.companySignIn.addDomain.mutate({ domain }),
    empties: true,
    done: t('Domain hinzugefügt.', 'Domain added.'),
  });
  return (
    <Stack>
      <div>
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
