import { Accordion, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { AttemptJson as Attempt, EndpointDelivery } from '../../../modules/webhooks/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Status } from '../../kit/facts.tsx';
import { ExactTime } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { CodeText, JsonText } from './code-text.tsx';
import { Outcome } from './words.tsx';

const isSuccess = ({ response_code: code, error }: Attempt): boolean =>
  code !== null && code >= 200 && code < 300 && error === null;

const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const Sent = ({ attempt: { url, request_headers, request_body } }: { attempt: Attempt }) => {
  const t = useText();
  return (
    <Stack gap="xs">
      <Title order={4} size="h6">
        {t('Gesendet', 'Sent')}
      </Title>
      <CodeText label={t('Kopfzeilen der Anfrage', 'Headers of the request')}>
        {`POST ${url}\n${linesOf(request_headers)}`}
      </CodeText>
      {request_body === null ? (
        <Text size="sm" c="dimmed">
          {t(
            'Der Inhalt wird nicht gezeigt: Das Ereignis ist nicht mehr aufbewahrt, oder es handelt von einer Person, während Ihr Team solche Angaben nicht zeigt.',
            'The body is not shown: the event is no longer kept, or it is about a person while your team does not show such details.',
          )}
        </Text>
      ) : (
        <div>
          <Group justify="flex-end" mb={4}>
            <Text size="xs" c="dimmed">
              {t('Zum Lesen eingerückt', 'Indented to be read')}
            </Text>
            <Copy value={request_body} what={t('Inhalt, wie gesendet,', 'the body as sent')} />
          </Group>
          <JsonText label={t('Inhalt der Anfrage', 'Body of the request')} text={request_body} />
        </div>
      )}
    </Stack>
  );
};

const CameBack = ({ attempt }: { attempt: Attempt }) => {
  const t = useText();
  const { response_code, response_headers, response_excerpt } = attempt;
  return (
    <Stack gap="xs">
      <Title order={4} size="h6">
        {t('Zurück kam', 'Came back')}
      </Title>
      <div>
        <Outcome of={attempt} />
      </div>
      {response_headers && Object.keys(response_headers).length > 0 && (
        <CodeText label={t('Kopfzeilen der Antwort', 'Headers of the answer')}>{linesOf(response_headers)}</CodeText>
      )}
      {response_excerpt !== null && response_excerpt !== '' && (
        <CodeText label={t('Anfang der Antwort', 'Beginning of the answer')}>{response_excerpt}</CodeText>
      )}
      {response_code !== null && response_headers === null && (
        <Text size="sm" c="dimmed">
          {t(
            'Kopfzeilen und Inhalt der Antwort wurden nicht gespeichert: Die Zustellungen des Teams hatten an diesem Tag ihren Speicherplatz schon verbraucht.',
            'Headers and body of the answer were not kept: the team’s deliveries had used up their space for that day.',
          )}
        </Text>
      )}
      {response_excerpt === '' && (
        <Text size="sm" c="dimmed">
          {t('Die Antwort war leer.', 'The answer was empty.')}
        </Text>
      )}
    </Stack>
  );
};

const Heading = ({ attempt }: { attempt: Attempt }) => {
  const t = useText();
  const { number, manual, started_at } = attempt;
  return (
    <Group gap="sm">
      <Text span fw={600} size="sm">
        {t(`Versuch ${number}`, `Attempt ${number}`)}
      </Text>
      {isSuccess(attempt) ? (
        <Status tone="good">{t('Angekommen', 'Got through')}</Status>
      ) : (
        <Status tone="bad">{t('Fehlgeschlagen', 'Failed')}</Status>
      )}
      <Text span size="sm" c="dimmed">
        <ExactTime at={started_at} />
      </Text>
      {manual && (
        <Text span size="sm" c="dimmed">
          {t('von Hand', 'by hand')}
        </Text>
      )}
    </Group>
  );
};

const AttemptList = ({ attempts }: { attempts: readonly Attempt[] }) => {
  const t = useText();
  const [newest] = attempts;
  if (!newest) {
    return (
      <Text size="sm" c="dimmed">
        {t('Bisher gab es keinen Versuch.', 'There was no attempt so far.')}
      </Text>
    );
  }
  return (
    <Accordion key={newest.id} order={3} multiple defaultValue={[newest.id]} chevronPosition="left" variant="separated">
      {attempts.map((attempt) => (
        <Accordion.Item key={attempt.id} value={attempt.id}>
          <Accordion.Control>
            <Heading attempt={attempt} />
          </Accordion.Control>
          <Accordion.Panel>
            <Stack gap="lg">
              <CameBack attempt={attempt} />
              <Sent attempt={attempt} />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
};

/** The attempts to send a delivery, the last one first: what was sent, and what came back. */
export const Attempts = ({ delivery }: { delivery: EndpointDelivery }) => {
  const t = useText();
  const { data, error, refetch } = app.useAnswer('webhookHistory.attempts', { delivery_id: delivery.id });
  return (
    <Panel title={t('Versuche', 'Attempts')}>
      {error && !data && <ProblemAlert error={error} retry={() => void refetch()} />}
      {!error && !data && <Skeleton height={180} />}
      {data && <AttemptList attempts={data.data} />}
    </Panel>
  );
};
