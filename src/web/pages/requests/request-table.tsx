import { Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { Fragment } from 'react';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { DocsLink, TextLink } from '../../kit/text/text.tsx';
import { idFact } from '../../kit/text/copy.tsx';
import { TextInCell } from '../../kit/text/cut.tsx';
import { Facts, Status, type Fact } from '../../kit/page/facts.tsx';
import { milliseconds, number } from '../../kit/text/figures.ts';
import { SearchedTable, type Search } from '../../kit/list/search-further.tsx';
import type { Column, DataTableProps } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { Prefix } from '../keys/key-words.tsx';
import { clientClosedStatus, routeText, routeWords, similarTo, toneOfStatus } from './request-words.ts';

interface RequestTableProps extends Omit<DataTableProps<LoggedRequest>, 'columns' | 'keyOf'> {
  /** Shows each request's key, for a list with several keys. */
  withKey?: boolean;
  search?: Search;
}

/** Logged requests, newest first. Each row opens its details. */
export const RequestTable = ({ withKey = false, ...list }: RequestTableProps) => {
  const words = routeWords();
  const columns: Column<LoggedRequest>[] = [
    { label: t('Zeit', 'Time'), value: ({ created_at }) => created_at, cell: 'exact time' },
    { label: t('Anfrage-ID', 'Request ID'), value: ({ request_id }) => request_id },
    { label: t('Methode', 'Method'), value: ({ method }) => method },
    { label: t('Route', 'Route'), value: ({ route }) => route },
    {
      label: t('Anfrage', 'Request'),
      alwaysShown: true,
      flexible: true,
      cell: (request) => (
        <TextLink
          to={`/requests/${request.id}`}
          ff="monospace"
          c="inherit"
          underline="hover"
          style={{ overflowWrap: 'break-word' }}
        >
          <Route text={routeText(request, words)} />
        </TextLink>
      ),
    },
    {
      label: t('Antwort', 'Response'),
      alwaysShown: true,
      value: ({ status }) => status,
      cell: (request) => (
        <span>
          <AnswerStatus status={request.status} /> {request.code !== null && <CodeLink code={request.code} />}{' '}
          <Times request={request} />
        </span>
      ),
    },
    { label: t('Code', 'Code'), value: ({ code }) => code },
    { label: t('Dauer in ms', 'Duration in ms'), value: ({ duration_ms }) => duration_ms },
    { label: t('Anzahl', 'Count'), value: ({ count }) => count },
    {
      label: t('Dauer', 'Duration'),
      align: 'end',
      priority: 2,
      cell: (request) => <Duration request={request} />,
    },
  ];
  if (withKey) {
    columns.push({
      label: t('Schlüssel', 'Key'),
      value: ({ key }) => key.name,
      priority: 1,
      cell: ({ key }) => (
        <TextLink to={`/keys/${key.id}`} underline="hover">
          <TextInCell text={key.name} />
        </TextLink>
      ),
    });
    columns.push({ label: t('Präfix', 'Prefix'), value: ({ key }) => key.prefix });
  }
  return (
    <SearchedTable
      columns={columns}
      keyOf={({ id }) => id}
      details={{
        label: (request) => {
          const route = routeText(request, words);
          return t(`Details zu ${route}`, `Details for ${route}`);
        },
        of: (request) => <RequestDetails request={request} />,
      }}
      {...list}
    />
  );
};

export const AnswerStatus = ({ status }: { status: number }) => <Status tone={toneOfStatus(status)}>{status}</Status>;

/** A problem code, with a link to its explanation. */
export const CodeLink = ({ code }: { code: string }) => (
  <Text span size="sm" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
    <DocsLink page={`errors#${code}`}>{code}</DocsLink>
  </Text>
);

/** How many requests an entry stands for, if it is more than one. */
const Times = ({ request: { count } }: { request: LoggedRequest }) => {
  if (count === 1) return null;
  return (
    <Text span size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden>× {number(count)}</span>
      <VisuallyHidden>{t(`${number(count)} Anfragen`, `${number(count)} requests`)}</VisuallyHidden>
    </Text>
  );
};

export const Duration = ({ request: { duration_ms } }: { request: LoggedRequest }) => (
  <span style={{ whiteSpace: 'nowrap' }}>{milliseconds(duration_ms)}</span>
);

/** A route whose line may break before each part. */
export const Route = ({ text }: { text: string }) => (
  <>
    {text.split('/').map((part, at) =>
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

const RequestDetails = ({ request }: { request: LoggedRequest }) => {
  const { id, key, count, closed } = requestFacts(request);
  return (
    <Stack gap="sm" py="xs">
      <Facts
        facts={[
          id,
          key,
          count,
          closed,
          request.code !== null && { name: t('Fehler', 'Error'), value: <CodeHelp code={request.code} /> },
        ]}
      />
      <SimilarRequests request={request} />
      <TextLink to={`/requests/${request.id}`} fw={600}>
        {t('Alle Details dieser Anfrage', 'All details of this request')}
      </TextLink>
    </Stack>
  );
};

/** The facts that the details of a row and the page of a request have in common. */
export const requestFacts = ({ request_id, key, count, status }: LoggedRequest) => {
  return {
    id: idFact(request_id, t('Anfrage-ID', 'Request ID')),
    key: {
      name: t('Schlüssel', 'Key'),
      alone: 'when narrow',
      value: (
        <>
          <TextLink to={`/keys/${key.id}`}>{key.name}</TextLink> <Prefix prefix={key.prefix} breaks />
        </>
      ),
    },
    count: count > 1 && {
      name: t('Anzahl', 'Count'),
      alone: 'always',
      value: t(
        `${number(count)} abgelehnte Anfragen in derselben Minute mit derselben Antwort. Alle anderen Angaben beziehen sich auf die erste Anfrage.`,
        `${number(count)} rejected requests in the same minute with the same response. All other details are those of the first request.`,
      ),
    },
    closed: status === clientClosedStatus && {
      name: t('Status 499', 'Status 499'),
      value: t(
        'Der Client hat die Verbindung geschlossen, bevor die Antwort vollständig gesendet war.',
        'The client closed the connection before the response was fully sent.',
      ),
    },
  } as const satisfies Record<string, Fact | false>;
};

/** A link to the explanation of a problem code. */
export const CodeHelp = ({ code }: { code: string }) => (
  <Text span size="sm">
    <DocsLink page={`errors#${code}`}>{t(`Hilfe zu ${code}`, `Help with ${code}`)}</DocsLink>
  </Text>
);

/** Links to the requests with the same key, route or problem. */
export const SimilarRequests = ({ request }: { request: LoggedRequest }) => {
  return (
    <Group gap="md" component="nav" aria-label={t('Ähnliche Anfragen', 'Similar requests')}>
      {similarTo(request).map(([label, to]) => (
        <TextLink key={to} to={to}>
          {label}
        </TextLink>
      ))}
    </Group>
  );
};
