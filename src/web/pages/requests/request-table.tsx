import { Anchor, Code, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Facts, Status } from '../../kit/facts.tsx';
import type { Fact, Tone } from '../../kit/facts.tsx';
import { ExactTime } from '../../kit/formats.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { Prefix } from '../keys/key-words.tsx';

interface RequestTableProps {
  label: string;
  rows: readonly LoggedRequest[] | undefined;
  empty: ReactNode;
  error: unknown;
  retry: () => void;
  /** Where the rows are not all of one key. */
  withKey?: boolean;
  more?: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Requests as they were answered, the newest first; each opens with all that is known of it. */
export const RequestTable = ({ withKey = false, ...list }: RequestTableProps) => {
  const t = useText();
  const unknown = t('(unbekannter Pfad)', '(unknown path)');
  const columns: Column<LoggedRequest>[] = [
    {
      label: t('Zeit', 'Time'),
      cell: ({ created_at }) => (
        <span style={{ whiteSpace: 'nowrap' }}>
          <ExactTime at={created_at} />
        </span>
      ),
    },
    {
      label: t('Anfrage', 'Request'),
      cell: (request) => (
        <Text span size="sm" ff="monospace" style={{ overflowWrap: 'break-word' }}>
          <Asked of={request} unknown={unknown} />
        </Text>
      ),
    },
    {
      label: t('Antwort', 'Answer'),
      cell: (request) => (
        <span>
          <AnswerStatus status={request.status} /> {request.code !== null && <CodeLink code={request.code} />}{' '}
          <Times of={request} />
        </span>
      ),
    },
    { label: t('Dauer', 'Duration'), align: 'end', cell: (request) => <Duration of={request} /> },
  ];
  if (withKey) {
    columns.push({
      label: t('Schlüssel', 'Key'),
      cell: ({ key }) => (
        <Anchor
          component={Link}
          to={`/keys/${key.id}`}
          size="sm"
          underline="hover"
          truncate
          display="block"
          maw={200}
          title={key.name}
        >
          {key.name}
        </Anchor>
      ),
    });
  }
  return (
    <DataTable
      columns={columns}
      keyOf={({ id }) => id}
      details={{
        label: (request) => {
          const asked = askedOf(request, unknown);
          return t(`Einzelheiten zu ${asked}`, `Details of ${asked}`);
        },
        of: (request) => <RequestDetails of={request} />,
      }}
      {...list}
    />
  );
};

const tones: Readonly<Record<string, Tone>> = { 2: 'good', 4: 'warn', 5: 'bad' };

const leftBefore = 499;

/** The status of an answer. */
const AnswerStatus = ({ status }: { status: number }) => (
  <Status tone={status === leftBefore ? 'plain' : (tones[Math.floor(status / 100)] ?? 'plain')}>{status}</Status>
);

/** The problem’s code, which leads to what it means. */
const CodeLink = ({ code }: { code: string }) => (
  <Anchor
    href={`/developers/errors#${code}`}
    target="_blank"
    rel="noreferrer"
    size="sm"
    ff="monospace"
    underline="hover"
    style={{ whiteSpace: 'nowrap' }}
  >
    {code}
  </Anchor>
);

/** How many requests an entry stands for, where it is more than one. */
const Times = ({ of: { count } }: { of: LoggedRequest }) => {
  const t = useText();
  const number = count.toLocaleString(useLocale());
  if (count === 1) return null;
  return (
    <Text span size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden>× {number}</span>
      <VisuallyHidden>{t(`${number} Anfragen`, `${number} requests`)}</VisuallyHidden>
    </Text>
  );
};

const Duration = ({ of: { duration_ms: ms } }: { of: LoggedRequest }) => {
  const locale = useLocale();
  const [value, unit] = ms < 1000 ? [ms, 'millisecond'] : [ms / 1000, 'second'];
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {value.toLocaleString(locale, { style: 'unit', unit, maximumFractionDigits: 1 })}
    </span>
  );
};

/** What was asked: where there is no such route, only how. */
const askedOf = ({ method, route }: LoggedRequest, unknown: string): string => `${method} ${route ?? unknown}`;

/** The same, that may wrap where a path does. */
const Asked = ({ of, unknown }: { of: LoggedRequest; unknown: string }) => (
  <>
    {askedOf(of, unknown)
      .split('/')
      .map((part, at) =>
        at === 0 ? (
          part
        ) : (
          // Parts of one path have no other name than their place.
          <Fragment key={at}>
            <wbr />/{part}
          </Fragment>
        ),
      )}
  </>
);

const withFilter = (filter: Record<string, string>): string => `/requests?${new URLSearchParams(filter).toString()}`;

/** All that is known of one request. */
const RequestDetails = ({ of }: { of: LoggedRequest }) => {
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
