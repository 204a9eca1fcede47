import { Anchor, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { CopyableId } from '../../kit/copy.tsx';
import { Facts, Status } from '../../kit/facts.tsx';
import type { Fact, Tone } from '../../kit/facts.tsx';
import { ExactTime } from '../../kit/formats.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column, MorePages } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { Prefix } from '../keys/key-words.tsx';

interface RequestTableProps {
  label: string;
  rows: readonly LoggedRequest[] | undefined;
  empty: ReactNode;
  error: unknown;
  retry: () => void;
  /** Shows each request's key, for a list with several keys. */
  withKey?: boolean;
  more?: MorePages;
}

/** Logged requests, newest first. Each row opens its details. */
export const RequestTable = ({ withKey = false, ...list }: RequestTableProps) => {
  const t = useText();
  const words = {
    unknown: t('(unbekannter Pfad)', '(unknown path)'),
    several: t('(mehrere Pfade)', '(several paths)'),
  };
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
          <Route request={request} words={words} />
        </Text>
      ),
    },
    {
      label: t('Antwort', 'Answer'),
      cell: (request) => (
        <span>
          <AnswerStatus status={request.status} /> {request.code !== null && <CodeLink code={request.code} />}{' '}
          <Times request={request} />
        </span>
      ),
    },
    { label: t('Dauer', 'Duration'), align: 'end', cell: (request) => <Duration request={request} /> },
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
          const route = routeText(request, words);
          return t(`Einzelheiten zu ${route}`, `Details of ${route}`);
        },
        of: (request) => <RequestDetails request={request} />,
      }}
      {...list}
    />
  );
};

const tones: Readonly<Record<string, Tone>> = { 2: 'good', 4: 'warn', 5: 'bad' };

/** The logged status of a request whose caller closed the connection before the answer. */
const clientClosedStatus = 499;

/** The status of an answer. */
const AnswerStatus = ({ status }: { status: number }) => (
  <Status tone={status === clientClosedStatus ? 'plain' : (tones[Math.floor(status / 100)] ?? 'plain')}>
    {status}
  </Status>
);

/** A problem code, with a link to its explanation. */
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

/** How many requests an entry stands for, if it is more than one. */
const Times = ({ request: { count } }: { request: LoggedRequest }) => {
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

const Duration = ({ request: { duration_ms: ms } }: { request: LoggedRequest }) => {
  const locale = useLocale();
  const [value, unit] = ms < 1000 ? [ms, 'millisecond'] : [ms / 1000, 'second'];
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {value.toLocaleString(locale, { style: 'unit', unit, maximumFractionDigits: 1 })}
    </span>
  );
};

/** A request's method and route. */
interface RouteWords {
  unknown: string;
  /** Of an entry that counts requests of different routes. */
  several: string;
}

const routeText = ({ method, route, count }: LoggedRequest, { unknown, several }: RouteWords): string =>
  `${method} ${route ?? (count > 1 ? several : unknown)}`;

/** The same, with places where the line may break. */
const Route = ({ request, words }: { request: LoggedRequest; words: RouteWords }) => (
  <>
    {routeText(request, words)
      .split('/')
      .map((part, at) =>
        at === 0 ? (
          part
        ) : (
          <Fragment key={at}>
            <wbr />/{part}
          </Fragment>
        ),
      )}
  </>
);

const withFilter = (filter: Record<string, string>): string => `/requests?${new URLSearchParams(filter).toString()}`;

/** All details of a logged request. */
const RequestDetails = ({ request }: { request: LoggedRequest }) => {
  const t = useText();
  const locale = useLocale();
  const facts: Fact[] = [
    {
      name: t('Anfrage-ID', 'Request id'),
      value: <CopyableId id={request.request_id} what={t('Anfrage-ID', 'request id')} />,
    },
    {
      name: t('Schlüssel', 'Key'),
      value: (
        <>
          <Anchor component={Link} to={`/keys/${request.key.id}`} size="sm">
            {request.key.name}
          </Anchor>{' '}
          <Prefix prefix={request.key.prefix} />
        </>
      ),
    },
    ...(request.count > 1
      ? [
          {
            name: t('Anzahl', 'Count'),
            value: t(
              `${request.count.toLocaleString(locale)} abgelehnte Anfragen derselben Minute mit derselben Antwort. Uhrzeit, Anfrage-ID, Methode und Dauer sind die der ersten.`,
              `${request.count.toLocaleString(locale)} refused requests of the same minute with the same answer. Time, request id, method and duration are those of the first.`,
            ),
          },
        ]
      : []),
    ...(request.status === clientClosedStatus
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
    ...(request.code === null
      ? []
      : [
          {
            name: t('Fehler', 'Problem'),
            value: (
              <Anchor href={`/developers/errors#${request.code}`} target="_blank" rel="noreferrer" size="sm">
                {t(`Was ${request.code} bedeutet und was hilft`, `What ${request.code} means and what helps`)}
              </Anchor>
            ),
          },
        ]),
  ];
  const alike: [label: string, to: string][] = [
    [
      request.count > 1 ? t('Nur dieser Eintrag', 'Only this entry') : t('Nur diese Anfrage', 'Only this request'),
      withFilter({ request_id: request.request_id }),
    ],
    [t('Alle mit diesem Schlüssel', 'All with this key'), withFilter({ key: request.key.id })],
  ];
  if (request.route !== null)
    alike.push([
      t('Alle auf dieser Route', 'All on this route'),
      withFilter({ route: request.route, method: request.method }),
    ]);
  if (request.code !== null)
    alike.push([t('Alle mit diesem Fehler', 'All with this problem'), withFilter({ code: request.code })]);
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
          'The contents of requests and answers are not recorded. The operator can look up the details by the request id.',
        )}
      </Text>
    </Stack>
  );
};
