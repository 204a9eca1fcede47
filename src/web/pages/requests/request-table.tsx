import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { LoggedRequest } from '../../../modules/requests/schema.ts';
import { ExactTime } from '../../kit/formats.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { AnswerStatus, Asked, askedOf, CodeLink, Duration, Times } from './answer-words.tsx';
import { RequestDetails } from './request-details.tsx';

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
