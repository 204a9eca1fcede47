import { NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { number } from '../../kit/text/figures.ts';
import { Time } from '../../kit/text/formats.tsx';
import { nameMessage } from '../../kit/form/account-fields.tsx';
import { idFact } from '../../kit/text/copy.tsx';
import { Facts, Status } from '../../kit/page/facts.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { notify } from '../../kit/page/messages.tsx';
import { Page, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';
import { CompanyAccount } from './company-account.tsx';
import { Directory } from './directory.tsx';
import { SignInPolicy } from './required-sign-in.tsx';
import { seatsTakenText } from '../members/figures.ts';
import { Export } from './export.tsx';
import { leftThisHourText, perMinuteText, rolesText, sizeText } from './figures.ts';
import { Privacy } from './privacy.tsx';
import { Reminders } from './reminders.tsx';
import { addressOf, listedFor, sectionsFor, type Section } from './rights.ts';
import { ClosedSection, SectionPanel, Sections } from './sections.tsx';

export default function SettingsPage() {
  const { may } = useSignedIn();
  const { pathname } = useLocation();
  const listed = listedFor(may);
  const section = listed.find((one) => addressOf(one) === pathname);
  const query = useQuery(app.team.settings.queryOptions({}));
  const { data: settings } = query;
  if (section === undefined) return <Navigate replace to={addressOf('team')} />;
  return (
    // Each section is a page of its own: nothing of the former section stays, not even the focus on its link.
    <Page key={section} title={t('Einstellungen', 'Settings')}>
      <Sections sections={listed} current={section}>
        {!settings && <Pending query={query} height={360} shape="panels" />}
        {settings &&
          (sectionsFor(may).includes(section) ? contentOf(settings)[section]() : <ClosedSection section={section} />)}
      </Sections>
    </Page>
  );
}

const contentOf = (settings: TeamSettings): Readonly<Record<Section, () => ReactNode>> => ({
  team: () => <TeamForm settings={settings} />,
  privacy: () => <Privacy switches={settings.privacy} />,
  reminders: () => <Reminders isOn={settings.reminders_enabled} />,
  'company-account': () => <CompanyAccount />,
  'required-sign-in': () => <SignInPolicy />,
  directory: () => <Directory />,
  plan: () => <Plan settings={settings} />,
  limits: () => <Limits settings={settings} />,
  export: () => <Export hasMemberDetail={settings.privacy.member_detail_enabled} />,
});

const TeamForm = ({ settings }: { settings: TeamSettings }) => {
  const form = useServerForm({
    initial: { name: settings.name, language: settings.language },
    send: (values) => client.app.team.change.mutate(values),
    onSent: (saved, sent, { getValues, setFieldValue }) => {
      // The server may have removed superfluous spaces. If the name was changed since, it stays as it was typed.
      if (getValues().name === sent.name) setFieldValue('name', saved.name);
      notify(t('Einstellungen gespeichert.', 'Settings saved.'));
    },
    errorsAt: ({ name }) => ({ name: name && nameMessage() }),
    draft: { name: 'team', fields: ['name', 'language'] },
  });
  const { name, language } = form.values;
  const isChanged = name.trim() !== settings.name || language !== settings.language;
  return (
    <SectionPanel section="team">
      <Form form={form} place="panel" action={t('Speichern', 'Save')} disabled={!isChanged || name.trim() === ''}>
        <TextInput
          label={t('Name', 'Name')}
          description={t(
            'Wird in der App und in jeder Einladung angezeigt.',
            'Shown in the app and in every invitation.',
          )}
          required
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label={t('Sprache', 'Language')}
          description={t(
            'Standardsprache für Einladungen. In der App wählt jedes Mitglied seine Sprache selbst.',
            'Default language for invitations. In the app, members choose their own language.',
          )}
          data={[
            { value: 'de', label: t('Deutsch', 'German') },
            { value: 'en', label: t('Englisch', 'English') },
          ]}
          {...form.getInputProps('language')}
        />
      </Form>
    </SectionPanel>
  );
};

interface UsageProps {
  label: string;
  share: number;
  /** If at least this share is used, the bar has another colour. */
  warnsFrom: number;
  children: ReactNode;
}

/** How much of something is used, in words and as a bar. */
const Usage = ({ label, share, warnsFrom, children }: UsageProps) => (
  <Stack gap={6} maw={420}>
    <Text size="sm">{label}</Text>
    <Progress
      size="md"
      aria-hidden
      value={Math.min(100, share * 100)}
      color={share >= warnsFrom ? 'yellow' : 'brand'}
    />
    {children}
  </Stack>
);

const Seats = ({ seats: { total, taken }, members }: Pick<TeamSettings, 'seats' | 'members'>) => (
  <Usage label={seatsTakenText({ taken, total })} share={total === 0 ? 1 : taken / total} warnsFrom={1}>
    <Hint size="xs">
      {rolesText(members)}{' '}
      <TextLink to="/members" size="xs">
        {t('Mitglieder', 'Members')}
      </TextLink>
    </Hint>
  </Usage>
);

/** The team's plan and seats, which the operator of the platform sets. */
const Plan = ({ settings: { plan, has_api, seats, members } }: { settings: TeamSettings }) => {
  const { team } = useSignedIn();
  const names = { basic: 'Basic', team: 'Team', enterprise: 'Enterprise' } as const;
  return (
    <SectionPanel section="plan">
      <Facts
        facts={[
          { name: t('Tarif', 'Plan'), value: names[plan] },
          {
            name: t('API', 'API'),
            value: has_api ? (
              <Status tone="good">{t('Enthalten', 'Included')}</Status>
            ) : (
              <Status tone="warn">{t('Nicht enthalten', 'Not included')}</Status>
            ),
          },
          { name: t('Plätze', 'Seats'), value: <Seats seats={seats} members={members} /> },
          idFact(team.tenant_id, t('Team-ID', 'Team ID')),
        ]}
      />
      <Hint mt="md">
        {t(
          'Für Änderungen an Tarif, Plätzen und Limits wenden Sie sich an den Betreiber der Plattform.',
          'To change plan, seats or limits, contact the platform operator.',
        )}
      </Hint>
    </SectionPanel>
  );
};

/** The team's limits, and how much of them is left. */
const Limits = ({ settings }: { settings: TeamSettings }) => {
  const { invitations, mails } = settings;
  return (
    <SectionPanel
      section="limits"
      actions={
        <Text size="sm" component="span">
          <DocsLink page="limits">{t('Alle Limits der API', 'All limits of the API')}</DocsLink>
        </Text>
      }
    >
      <Facts
        facts={[
          { name: t('Pro API-Schlüssel', 'Per API key'), value: perMinuteText(settings.rate_limit_per_key) },
          {
            name: t('Alle API-Schlüssel zusammen', 'All API keys together'),
            value: perMinuteText(settings.rate_limit_per_min),
          },
          {
            name: t('Einladungen', 'Invitations'),
            value: (
              <>
                {leftThisHourText(invitations)}
                {invitations.resets_at !== null && (
                  <>
                    {t(', Neustart ', ', resets ')}
                    <Time at={invitations.resets_at} />
                  </>
                )}
              </>
            ),
          },
          {
            name: t('E-Mails heute', 'Emails today'),
            value: (
              <>
                {t(
                  `${number(mails.used)} von ${number(mails.max)}, Neustart `,
                  `${number(mails.used)} of ${number(mails.max)}, resets `,
                )}
                <Time at={mails.resets_at} />
              </>
            ),
          },
          {
            name: t('Speicher für Aufgaben, Fälle und Trainings', 'Storage for assignments, cases and trainings'),
            value: <StorageUsed usage={settings.storage.stored} />,
          },
          {
            name: t('Davon private Fälle', 'Of which private cases'),
            value: <PrivateCasesUsed usage={settings.storage.private_cases} />,
          },
        ]}
      />
    </SectionPanel>
  );
};

const StorageUsed = ({ usage: { used, quota } }: { usage: TeamSettings['storage']['stored'] }) => {
  const warnsFrom = 0.8;
  return (
    <Usage
      label={t(`${sizeText(used)} von ${sizeText(quota)} belegt`, `${sizeText(used)} of ${sizeText(quota)} used`)}
      share={used / quota}
      warnsFrom={warnsFrom}
    >
      {used / quota >= warnsFrom && (
        <Hint size="xs">
          {t(
            'Ist der Speicher voll, können keine Aufgaben, Fälle und Trainings mehr angelegt werden. Löschen Sie nicht mehr benötigte Aufgaben und Fälle.',
            'When storage is full, no assignments, cases or trainings can be created. Delete assignments and cases that you no longer need.',
          )}
        </Hint>
      )}
    </Usage>
  );
};

/** How much of the storage is used by private cases. */
const PrivateCasesUsed = ({
  usage: { used, quota, kept_days: keptDays },
}: {
  usage: TeamSettings['storage']['private_cases'];
}) => (
  <Stack gap={6} maw={420}>
    <Text size="sm" inherit>
      {t(`${sizeText(used)} von höchstens ${sizeText(quota)}`, `${sizeText(used)} of at most ${sizeText(quota)}`)}
    </Text>
    <Hint size="xs">
      {t(
        `Private Fälle sieht nur das jeweilige Mitglied. Sie werden ${keptDays} Tage nach dem Entfernen des Mitglieds gelöscht.`,
        `Private cases are visible only to their member. They are deleted ${keptDays} days after the member is removed.`,
      )}
    </Hint>
  </Stack>
);

export type TeamSettings = AppOutputs['team']['settings'];
export type Switches = TeamSettings['privacy'];
