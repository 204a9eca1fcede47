import { Anchor, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconStethoscope } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { WebhookCheck } from '../../../modules/webhooks/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { State, Status } from '../../kit/page/facts.tsx';
import type { StateWords } from '../../kit/page/tones.ts';
import { Time } from '../../kit/text/formats.tsx';
import { Notice, ProblemAlert } from '../../kit/page/messages.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { Outcome } from './words.tsx';

type Probe = WebhookCheck['probes'][number];
type Verdict = NonNullable<Probe['verdict']>;

const probeNames = (): Record<Probe['probe'], string> => ({
  valid: t('Gültige Zustellung', 'Valid delivery'),
  duplicate: t('Doppelte Zustellung', 'Duplicate delivery'),
  unknown_type: t('Unbekannter Ereignistyp', 'Unknown event type'),
  large: t('Großer Body', 'Large body'),
  slow: t('Langsame Verbindung', 'Slow connection'),
  tampered: t('Manipulierter Body', 'Tampered body'),
  stale: t('Abgelaufene Signatur (10 Minuten alt)', 'Expired signature (10 minutes old)'),
  wrong_secret: t('Falsches Signaturgeheimnis', 'Wrong signing secret'),
});

const verdicts = (): Readonly<Record<Verdict, StateWords>> => ({
  passed: ['good', t('Bestanden', 'Passed')],
  improvable: ['warn', t('Mit Hinweis bestanden', 'Passed with advice')],
  failed: ['bad', t('Nicht bestanden', 'Failed')],
});

const grades: typeof verdicts = () => ({
  passed: ['good', t('Ihr Empfänger hat alle Prüfungen bestanden.', 'Your receiver passed all checks.')],
  improvable: [
    'warn',
    t('Ihr Empfänger hat die Prüfung mit Hinweisen bestanden.', 'Your receiver passed with advice.'),
  ],
  failed: ['bad', t('Ihr Empfänger hat die Prüfung nicht bestanden.', 'Your receiver did not pass the check.')],
});

const ProbeVerdict = ({ verdict, isRunning }: { verdict: Verdict | null; isRunning: boolean }) => {
  if (verdict !== null) return <State words={verdicts()[verdict]} />;
  return <Status tone="plain">{isRunning ? t('Ausstehend', 'Pending') : t('Nicht gesendet', 'Not sent')}</Status>;
};

const Advice = ({ advice, docs_url: link }: Probe) => {
  if (advice === null) return null;
  return (
    <Hint>
      {advice}{' '}
      {link !== null && (
        <Anchor size="sm" href={link} target="_blank" rel="noreferrer">
          {t('Zur Dokumentation', 'Read the documentation')}
        </Anchor>
      )}
    </Hint>
  );
};

const Grade = ({ check: { status, grade, created_at } }: { check: WebhookCheck }) => {
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
      <Notice
        tone="bad"
        role="status"
        title={t('Die Prüfung wurde nicht abgeschlossen', 'The check was not completed')}
      >
        {t(
          'Auf unserer Seite ist ein Fehler aufgetreten. Starten Sie die Prüfung erneut.',
          'Something went wrong on our side. Start the check again.',
        )}
      </Notice>
    );
  }
  return (
    <Group gap="xs" role="status">
      <State words={grades()[grade]} />
      <Hint>
        <Time at={created_at} />
      </Hint>
    </Group>
  );
};

const Results = ({ check }: { check: WebhookCheck }) => {
  const words = probeNames();
  return (
    <Stack gap="md">
      <Grade check={check} />
      <DataTable
        label={t('Ergebnisse der Prüfung', 'Check results')}
        list={{ rows: check.probes }}
        keyOf={({ probe }) => probe}
        columns={[
          {
            label: t('Gesendet', 'Sent'),
            cell: (probe) => (
              <>
                {words[probe.probe]}
                <Advice {...probe} />
              </>
            ),
          },
          {
            label: t('Erwartet', 'Expected'),
            cell: ({ expected }) =>
              expected === 'accepted' ? t('Annehmen (2xx)', 'Accept (2xx)') : t('Ablehnen (4xx)', 'Reject (4xx)'),
          },
          {
            label: t('Antwort', 'Response'),
            cell: (probe) => (probe.response_code === null && probe.error === null ? '–' : <Outcome attempt={probe} />),
          },
          {
            label: t('Ergebnis', 'Result'),
            alwaysShown: true,
            cell: ({ verdict }) => <ProbeVerdict verdict={verdict} isRunning={check.status === 'running'} />,
          },
        ]}
      />
    </Stack>
  );
};

/** Checks the receiver of an endpoint on request, and shows its reaction to each probe. */
export const CheckUp = ({ endpointId, hasApi }: { endpointId: string; hasApi: boolean }) => {
  const start = useMutation(api.webhooks.check.mutationOptions());
  const query = useQuery(
    api.webhooks.checks.queryOptions(
      { endpoint_id: endpointId, limit: 1 },
      { refetchInterval: ({ state }) => (state.data?.data[0]?.status === 'running' ? 1_000 : false) },
    ),
  );
  const last = query.data?.data[0];
  return (
    <Panel
      title={t('Empfänger prüfen', 'Check receiver')}
      lead={t(
        'Ihr Server erhält acht Testzustellungen: gültige, die er annehmen muss, und gefälschte, die er ablehnen muss. Sie sind am Header „Svc-Check“ erkennbar und enthalten keine echten Ereignisse.',
        'Your server receives eight test deliveries: valid ones that it must accept, and forged ones that it must reject. They carry the “Svc-Check” header and contain no real events.',
      )}
      actions={
        hasApi && (
          <Button
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
        <ProblemAlert error={start.error} />
        {!query.data && <Pending query={query} height={60} />}
        {last && <Results check={last} />}
      </Stack>
    </Panel>
  );
};
