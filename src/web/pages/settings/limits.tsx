import { Progress, Skeleton, Stack, Text } from '@mantine/core';
import { Facts } from '../../kit/facts.tsx';
import { Time, useDuration } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { TeamSettings } from './settings.tsx';

/** The team's limits, and how much of them is left. */
export const Limits = ({ settings }: { settings: TeamSettings }) => {
  const t = useText();
  const locale = useLocale();
  const duration = useDuration();
  const { data: limits, error, refetch } = app.useQuery('reference.limits', {});
  const { invitations, mails } = settings;
  const number = (value: number) => value.toLocaleString(locale);
  const perMinute = (value: number) => t(`${number(value)} Anfragen je Minute`, `${number(value)} requests a minute`);
  return (
    <Panel title={t('Limits', 'Limits')}>
      {!limits && error && <ProblemAlert error={error} retry={() => void refetch()} />}
      {!limits && !error && (
        <Skeleton height={240} radius="md" role="status" aria-label={t('Wird geladen', 'Loading')} />
      )}
      {limits && (
        <Facts
          facts={[
            { name: t('Je API-Schlüssel', 'Each API key'), value: perMinute(settings.rate_limit_per_key) },
            { name: t('Alle Schlüssel zusammen', 'All keys together'), value: perMinute(settings.rate_limit_per_min) },
            {
              name: t('Einladungen', 'Invitations'),
              value: (
                <>
                  {t(
                    `Noch ${number(invitations.left)} von ${number(invitations.limit)} in dieser Stunde`,
                    `${number(invitations.left)} of ${number(invitations.limit)} left this hour`,
                  )}
                  {invitations.resets_at !== null && (
                    <>
                      {t(', neue gibt es ', ', new ones ')}
                      <Time at={invitations.resets_at} />
                    </>
                  )}
                </>
              ),
            },
            {
              name: t('Mails heute', 'Mails today'),
              value: (
                <>
                  {t(
                    `${number(mails.used)} von ${number(mails.most)}, neue gibt es `,
                    `${number(mails.used)} of ${number(mails.most)}, new ones `,
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
              name: t('Davon private Fälle der Mitglieder', 'Of that, members’ private cases'),
              value: <PrivateCasesUsed usage={settings.storage.private_cases} />,
            },
            {
              name: t('Eine Einladung gilt', 'An invitation is valid for'),
              value: duration(limits.invitation_days * 86_400),
            },
            {
              name: t('Einträge je Seite', 'Entries a page'),
              value: t(
                `${number(limits.page_size.default)}, höchstens ${number(limits.page_size.most)}`,
                `${number(limits.page_size.default)}, at most ${number(limits.page_size.most)}`,
              ),
            },
            {
              name: t('Inhalt einer Anfrage', 'Body of a request'),
              value: t(
                `höchstens ${number(limits.body_bytes / 1024)} KiB`,
                `at most ${number(limits.body_bytes / 1024)} KiB`,
              ),
            },
            {
              name: 'Idempotency-Key',
              value: t(
                `gilt ${duration(limits.idempotency_hours * 3_600)}, höchstens ${number(limits.idempotency_key_characters)} Zeichen`,
                `valid for ${duration(limits.idempotency_hours * 3_600)}, at most ${number(limits.idempotency_key_characters)} characters`,
              ),
            },
            {
              name: t('Ersetzter Schlüssel', 'Rotated key'),
              value: t(
                `gilt auf Wunsch bis zu ${duration(limits.key_grace_days * 86_400)} weiter`,
                `stays valid for up to ${duration(limits.key_grace_days * 86_400)}, if you like`,
              ),
            },
            { name: t('Webhook-Endpunkte', 'Webhook endpoints'), value: number(limits.webhooks.endpoints) },
            {
              name: t('Antwort eines Endpunkts', 'Answer of an endpoint'),
              value: t(
                `spätestens nach ${duration(limits.webhooks.timeout_seconds)}`,
                `within ${duration(limits.webhooks.timeout_seconds)}`,
              ),
            },
            {
              name: t('Abstände der Wiederholungen', 'Pauses between retries'),
              value: limits.webhooks.retry_seconds.map(duration).join(', '),
            },
            {
              name: t('Pause eines gestörten Endpunkts', 'A failing endpoint is paused after'),
              value: t(
                `${duration(limits.webhooks.pause_after_seconds)} ohne Erfolg`,
                `${duration(limits.webhooks.pause_after_seconds)} without a success`,
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
};

const mebibyteBytes = 1024 ** 2;
const gibibyteBytes = 1024 ** 3;

/** A number of bytes in MiB or GiB. */
const useSize = () => {
  const locale = useLocale();
  return (bytes: number): string => {
    const [value, unit] = bytes < gibibyteBytes ? [bytes / mebibyteBytes, 'MiB'] : [bytes / gibibyteBytes, 'GiB'];
    return `${value.toLocaleString(locale, { maximumFractionDigits: 1 })} ${unit}`;
  };
};

/** How much of the plan's storage is used, with a bar that warns before it is full. */
const StorageUsed = ({ usage: { used, quota } }: { usage: TeamSettings['storage']['stored'] }) => {
  const t = useText();
  const size = useSize();
  const share = used / quota;
  return (
    <Stack gap={6} maw={420}>
      <Text size="sm" inherit>
        {t(`${size(used)} von ${size(quota)} belegt`, `${size(used)} of ${size(quota)} used`)}
      </Text>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={share >= 0.8 ? 'yellow' : 'brand'}
          withAria={false}
        />
      </Progress.Root>
      {share >= 0.8 && (
        <Text size="xs" c="dimmed">
          {t(
            'Ist der Speicher voll, lassen sich keine Aufgaben, Fälle und Trainings mehr anlegen. Löschen Sie Aufgaben und Fälle, die Sie nicht mehr brauchen.',
            'Once the storage is full, no assignments, cases and trainings can be added. Delete assignments and cases that you no longer need.',
          )}
        </Text>
      )}
    </Stack>
  );
};

/** How much of the storage private cases use. */
const PrivateCasesUsed = ({
  usage: { used, quota, kept_days: keptDays },
}: {
  usage: TeamSettings['storage']['private_cases'];
}) => {
  const t = useText();
  const size = useSize();
  return (
    <Stack gap={6} maw={420}>
      <Text size="sm" inherit>
        {t(`${size(used)} von höchstens ${size(quota)}`, `${size(used)} of at most ${size(quota)}`)}
      </Text>
      <Text size="xs" c="dimmed">
        {t(
          `Private Fälle sieht nur das Mitglied selbst. Wird ein Mitglied entfernt, werden sie nach ${keptDays} Tagen gelöscht.`,
          `Only the member sees a private case. When a member is removed, theirs are deleted after ${keptDays} days.`,
        )}
      </Text>
    </Stack>
  );
};
