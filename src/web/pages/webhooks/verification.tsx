import { Code, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DocsLink, Hint } from '../../kit/text/text.tsx';
import { Copy } from '../../kit/text/copy.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { CodeText } from './code-text.tsx';

/** A program that checks a request's signature. */
const program = (maxAgeSeconds: number): string => `import { createHmac, timingSafeEqual } from 'node:crypto';

export const isGenuine = (rawBody, header = '', secret) => {
  const fields = header.split(',');
  const valuesOf = (name) => fields.filter((field) => field.startsWith(name)).map((field) => field.slice(name.length));
  const [t = ''] = valuesOf('t=');
  const expected = createHmac('sha256', secret).update(\`\${t}.\`).update(rawBody).digest();
  const fits = valuesOf('v1=').some(
    (v1) => /^[0-9a-f]{64}$/.test(v1) && timingSafeEqual(expected, Buffer.from(v1, 'hex')),
  );
  return fits && Math.abs(Date.now() / 1000 - Number(t)) <= ${maxAgeSeconds};
};
`;

/** How a receiver checks that a request is from this service. */
export const Verification = () => {
  const { data: limits } = useQuery(app.reference.limits.queryOptions({}));
  const { data: reference } = useQuery(app.reference.events.queryOptions({}));
  const headers = reference?.events.find(({ type }) => type === 'ping')?.example.headers;
  if (!limits || !headers) return null;
  const age = limits.webhooks.signature_age_seconds;
  const text = program(age);
  const what = t('Signaturprüfung in Node.js', 'Signature verification in Node.js');
  return (
    <Stack gap="sm">
      <Text size="sm">
        {t(
          'Jede Anfrage ist signiert. Verarbeiten Sie nur Anfragen mit gültiger Signatur:',
          'Every request is signed. Process only requests with a valid signature:',
        )}
      </Text>
      <CodeText label={t('Request-Header', 'Request headers')}>
        {['Svc-Event-Id', 'Svc-Signature'].map((name) => `${name}: ${headers[name] ?? ''}`).join('\n')}
      </CodeText>
      <List size="sm" spacing={4}>
        <List.Item>
          {t('Der Wert ', 'The value ')}
          <Code>v1</Code>
          {t(' ist HMAC-SHA256 über ', ' is the HMAC-SHA256 of ')}
          <Code>{t('<t>.<unveränderter Body>', '<t>.<raw body>')}</Code>
          {t(
            ', hexadezimal in Kleinbuchstaben. Der HMAC-Schlüssel ist das vollständige Signaturgeheimnis mit ',
            ', in lowercase hex. The HMAC key is the full signing secret, including ',
          )}
          <Code>whsec_</Code>.
        </List.Item>
        <List.Item>
          {t(
            `Lehnen Sie Anfragen ab, die älter als ${age} Sekunden sind, und vergleichen Sie in konstanter Zeit.`,
            `Reject requests that are older than ${age} seconds, and compare in constant time.`,
          )}
        </List.Item>
        <List.Item>
          {t(
            'Ein Ereignis kann mehrmals zugestellt werden. Erkennen Sie Duplikate an der Ereignis-ID.',
            'An event may be delivered more than once. Use the event ID to detect duplicates.',
          )}
        </List.Item>
      </List>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {what}
        </Text>
        <Copy value={text} what={what} />
      </Group>
      <CodeText label={what} program>
        {text}
      </CodeText>
      <Hint>
        <DocsLink page="webhook-signatures">
          {t('Weitere Programmiersprachen und Testvektoren', 'Other languages and test vectors')}
        </DocsLink>
      </Hint>
    </Stack>
  );
};
