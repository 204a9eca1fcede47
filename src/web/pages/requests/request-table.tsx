import { Text, VisuallyHidden } from '@mantine/core';
import { lazy } from 'react';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { TextLink } from '../../kit/text/text.tsx';
import { TextInCell } from '../../kit/text/cut.tsx';
import { number } from '../../kit/text/figures.ts';
import { SearchedTable, type Search } from '../../kit/list/search-further.tsx';
import type { Column, DataTableProps } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { AnswerStatus, CodeLink, Duration, Route } from './request-parts.tsx';
import { routeText, routeWords } from './request-words.ts';

const OneRequest = lazy(async () => ({ default: (await import('./request.tsx')).OneRequest }));

interface RequestTableProps extends Omit<DataTableProps<LoggedRequest>, 'columns' | 'keyOf'> {
  /** Shows each request's key, for a list with several keys. */
  withKey?: boolean;
  search?: Search;
}

/** Logged requests, newest first. */
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
      peek={{
        title: (request) => routeText(request, words),
        to: (id) => `/requests/${id}`,
        of: (id) => <OneRequest id={id} />,
      }}
      {...list}
    />
  );
};

/** How many requests an entry stands for, if these are several. */
const Times = ({ request: { count } }: { request: LoggedRequest }) => {
  if (count === 1) return null;
  return (
    <Text span size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden>× {number(count)}</span>
      <VisuallyHidden>{t(`${number(count)} Anfragen`, `${number(count)} requests`)}</VisuallyHidden>
    </Text>
  );
};
