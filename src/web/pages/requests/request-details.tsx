import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { Prefix } from '../keys/key-words.tsx';
import { leftBefore } from './answer-words.tsx';

const withFilter = (filter: Record<string, string>): string => `/requests?${new URLSearchParams(filter).toString()}`;

/** All that is known of one request. */
export const RequestDetails = ({ of }: { of: LoggedRequest }) => {
  const t = useText();
  const locale = useLocale();
  const facts: Fact[] = [
    {
      name: t('Anfrage-ID', 'Request id'),
      value: (
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{of.request_id}</Code>
          <Copy value={of.request_id} what={t('Anfrage-ID', 'request id')} />
        </Group>
      ),
    },
    {
      name: t('Schlüssel', 'Key'),
      value: (
        <>
          <Anchor component={Link} to={`/keys/${of.key.id}`} size="sm">
            {of.key.name}
          </Anchor>{' '}
          <Prefix of={of.key.prefix} />
        </>
      ),
    },
    ...(of.count > 1
      ? [
          {
            name: t('Anzahl', 'Count'),
            value: t(
              `${of.count.toLocaleString(locale)} abgelehnte Anfragen derselben Minute mit derselben Antwort. Uhrzeit, Anfrage-ID, Methode und Dauer sind die der ersten.`,
              `${of.count.toLocaleString(locale)} refused requests of the same minute with the same answer. Time, request id, method and duration are those of the first.`,
            ),
          },
        ]
      : []),
    ...(of.status === leftBefore
      ? [
          {
            name: t('Status 499', 'Status 499'),
            value: t(
              'Das Programm hat die Verbindung geschlossen, bevor die Antwort geschrieben war.',
              'The program closed the connection before the answer was written.',
            ),
          },
        ]
      : []),
    ...(of.code === null
      ? []
      : [
          {
            name: t('Fehler', 'Problem'),
            value: (
              <Anchor href={`/developers/errors#${of.code}`} target="_blank" rel="noreferrer" size="sm">
                {t(`Was ${of.code} bedeutet und was hilft`, `What ${of.code} means and what helps`)}
              </Anchor>
            ),
          },
        ]),
  ];
  const alike: [label: string, to: string][] = [
    [
      of.count > 1 ? t('Nur dieser Eintrag', 'Only this entry') : t('Nur diese Anfrage', 'Only this request'),
      withFilter({ request_id: of.request_id }),
    ],
    [t('Alle mit diesem Schlüssel', 'All with this key'), withFilter({ key: of.key.id })],
  ];
  if (of.route !== null)
    alike.push([t('Alle auf dieser Route', 'All on this route'), withFilter({ route: of.route, method: of.method })]);
  if (of.code !== null)
    alike.push([t('Alle mit diesem Fehler', 'All with this problem'), withFilter({ code: of.code })]);
  return (
    <Stack gap="sm" py="xs">
      <Facts facts={facts} />
      <Group gap="md" component="nav" aria-label={t('Ähnliche Anfragen', 'Similar requests')}>
        {alike.map(([label, to]) => (
          <Anchor key={to} component={Link} to={to} size="sm">
            {label}
          </Anchor>
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        {t(
          'Inhalte von Anfragen und Antworten werden nicht aufgezeichnet. Mit der Anfrage-ID findet der Betreiber die Einzelheiten.',
          'The contents of requests and answers are not recorded. The operator finds the particulars by the request id.',
        )}
      </Text>
    </Stack>
  );
};
