import { Anchor, Button, Group, Loader, Skeleton, Stack, Text } from '@mantine/core';
import { IconStethoscope } from '@tabler/icons-react';
import type { WebhookCheck } from '../../../modules/webhooks/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time } from '../../kit/formats.tsx';
import { Notice, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { Outcome } from './words.tsx';

type Probe = WebhookCheck['probes'][number];
type Verdict = NonNullable<Probe['verdict']>;

const useProbeWords = (): Record<Probe['probe'], string> => {
  const t = useText();
  return {
    valid: t('Gültige Zustellung', 'Valid delivery'),
    duplicate: t('Dieselbe Zustellung noch einmal', 'The same delivery again'),
    unknown_type: t('Unbekannter Ereignistyp', 'Unknown event type'),
    large: t('Großer Body', 'Large body'),
    slow: t('Langsame Verbindung', 'Slow connection'),
    tampered: t('Nach dem Signieren verändert', 'Changed after it was signed'),
    stale: t('Zehn Minuten alte Signatur', 'Signature ten minutes old'),
    wrong_secret: t('Mit einem anderen Geheimnis signiert', 'Signed with another secret'),
  };
};

const tones: Record<Verdict, Tone> = { passed: 'good', improvable: 'warn', failed: 'bad' };

const ProbeVerdict = ({ verdict, isRunning }: { verdict: Verdict | null; isRunning: boolean }) => {
  const t = useText();
  if (verdict === null) {
    return <Status tone="plain">{isRunning ? t('Folgt', 'To come') : t('Nicht gesendet', 'Not sent')}</Status>;
  }
  const words = {
    passed: t('Bestanden', 'Passed'),
    improvable: t('Verbesserbar', 'Could be better'),
    failed: t('Nicht bestanden', 'Failed'),
  };
  return <Status tone={tones[verdict]}>{words[verdict]}</Status>;
};

const Advice = ({ advice, docs_url: link }: Probe) => {
  const t = useText();
  if (advice === null) return null;
  return (
    <Text size="sm">
      {advice}{' '}
      {link !== null && (
        <Anchor size="sm" href={link} target="_blank" rel="noreferrer">
          {t('Mehr in der Dokumentation', 'More in the documentation')}
        </Anchor>
      )}
    </Text>
  );
};

const Grade = ({ check: { status, grade, created_at } }: { check: WebhookCheck }) => {
  const t = useText();
  if (status === 'running') {
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden />
        <Text size="sm">{t('Die Prüfung läuft.', 'The check is running.')}</Text>
      </Group>
    );
  }
  if (status === 'failed' || grade === null) {
    return (
      <Notice tone="bad" role="status" title={t('Die Prüfung wurde nicht fertig', 'The check was not completed')}>
        {t('Das lag an uns. Starten Sie sie noch einmal.', 'This was our fault. Start it again.')}
      </Notice>
    );
  }
  const words = {
    passed: t('Ihr Empfänger macht alles richtig.', 'Your receiver does everything right.'),
    improvable: t(
      'Ihr Empfänger arbeitet, könnte aber besser antworten.',
      'Your receiver works, but could answer better.',
    ),
    failed: t('Ihr Empfänger hat die Prüfung nicht bestanden.', 'Your receiver did not pass the check.'),
  };
  return (
    <Group gap="xs" role="status">
      <Status tone={tones[grade]}>{words[grade]}</Status>
      <Text size="sm" c="dimmed">
        <Time at={created_at} />
      </Text>
    </Group>
  );
};

const Results = ({ check }: { check: WebhookCheck }) => {
  const t = useText();
  const words = useProbeWords();
  return (
    <Stack gap="md">
      <Grade check={check} />
      <DataTable
        label={t('Was gesendet wurde, und was der Empfänger tat', 'What was sent, and what the receiver did')}
        rows={check.probes}
        keyOf={({ probe }) => probe}
        empty={null}
        columns={[
          { label: t('Gesendet', 'Sent'), cell: ({ probe }) => words[probe] },
          {
            label: t('Erwartet', 'Expected'),
            cell: ({ expected }) =>
              expected === 'accepted' ? t('Annehmen (2xx)', 'Accept (2xx)') : t('Abweisen (4xx)', 'Refuse (4xx)'),
          },
          { label: t('Der Empfänger', 'The receiver'), cell: (probe) => <Outcome attempt={probe} /> },
          {
            label: t('Ergebnis', 'Result'),
            cell: (probe) => (
              <Stack gap={4}>
                <ProbeVerdict verdict={probe.verdict} isRunning={check.status === 'running'} />
                <Advice {...probe} />
              </Stack>
            ),
          },
        ]}
      />
    </Stack>
  );
};

/** Checks the receiver behind an endpoint on request, and shows what it did with each request. */
export const CheckUp = ({ endpointId, hasApi }: { endpointId: string; hasApi: boolean }) => {
  const t = useText();
  const start = api.useMutation('webhooks.check');
  const { data, error, refetch } = api.useQuery(
    'webhooks.checks',
    { endpoint_id: endpointId, limit: 1 },
    { refetchInterval: ({ data: [last] }) => (last?.status === 'running' ? 1_000 : false) },
  );
  const last = data?.data[0];
  return (
    <Panel
      title={t('Empfänger prüfen', 'Check the receiver')}
      actions={
        hasApi && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconStethoscope size={16} aria-hidden />}
            loading={start.isPending || last?.status === 'running'}
            onClick={() => start.mutate({ endpoint_id: endpointId })}
          >
            {t('Prüfung starten', 'Start check')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(
            'Wir senden Ihrem Server acht Zustellungen: solche, die er annehmen muss, und gefälschte, die er abweisen muss. Sie tragen den Header „Svc-Check“ und melden nichts, was geschehen ist.',
            'We send your server eight deliveries: some that it has to accept, and forged ones that it has to refuse. They have the header “Svc-Check” and report nothing that happened.',
          )}
        </Text>
        <ProblemAlert error={start.error} />
        {error && !data && <ProblemAlert error={error} retry={() => void refetch()} />}
        {!error && !data && <Skeleton height={60} />}
        {last && <Results check={last} />}
      </Stack>
    </Panel>
  );
};
