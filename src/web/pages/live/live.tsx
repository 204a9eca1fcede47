import { Button, Group, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextInCell } from '../../kit/text/cut.tsx';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { Status } from '../../kit/page/facts.tsx';
import { count, number } from '../../kit/text/figures.ts';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { Page } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { ViewTabs } from '../../kit/page/view-tabs.tsx';
import { t } from '../../language/language.tsx';
import { api, client, type AppOutputs } from '../../server/server.ts';
import { RequestTable } from '../requests/request-table.tsx';
import { DeliveryStatus, EventType, Outcome } from '../webhooks/words.tsx';
import { useTail } from './tail.ts';

type TeamDelivery = AppOutputs['webhookHistory']['newest']['data'][number];

/** How many rows one request loads at most. */
const limit = 100;

const loadRequests = async (since: string) => (await client.app.requests.list.query({ since, limit })).data;
const loadDeliveries = async (since: string) => (await client.app.webhookHistory.newest.query({ since, limit })).data;

/** When no rows were added for this long, screen readers announce how many were added before. */
const announcedAfterMs = 3_000;

interface TailProps {
  tail: Pick<ReturnType<typeof useTail>, 'on' | 'setOn' | 'waiting' | 'added' | 'show' | 'error' | 'rows'>;
  children: ReactNode;
}

const Tail = ({ tail, children }: TailProps) => {
  const { on, setOn, waiting, added, show, error, rows } = tail;
  const [announced] = useDebouncedValue(added, announcedAfterMs);
  const lines = (number: number) => count(number, t('neuer Eintrag', 'new entry'), t('neue Einträge', 'new entries'));
  return (
    <>
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="sm">
          <Status tone={on ? 'good' : 'plain'}>{on ? t('Aktiv', 'Live') : t('Pausiert', 'Paused')}</Status>
          <Hint>{t('Neue Einträge erscheinen automatisch oben.', 'New entries appear at the top automatically.')}</Hint>
        </Group>
        <Button
          size="xs"
          leftSection={on ? <IconPlayerPause size={14} aria-hidden /> : <IconPlayerPlay size={14} aria-hidden />}
          onClick={() => setOn(!on)}
        >
          {on ? t('Pausieren', 'Pause') : t('Fortsetzen', 'Resume')}
        </Button>
      </Group>
      {rows && <ProblemAlert error={error} />}
      {waiting > 0 && (
        <Group justify="center" mb="md" style={{ position: 'sticky', top: 72, zIndex: 2 }}>
          <Button
            variant="filled"
            size="xs"
            onClick={() => {
              window.scrollTo({ top: 0 });
              show();
            }}
          >
            {lines(waiting)}
          </Button>
        </Group>
      )}
      <VisuallyHidden role="status">{announced > 0 && lines(announced)}</VisuallyHidden>
      {children}
    </>
  );
};

const Requests = () => {
  const tail = useTail(loadRequests);
  return (
    <Tail tail={tail}>
      <RequestTable
        label={t('Anfragen', 'Requests')}
        list={{ ...tail, refetch: () => tail.setOn(true) }}
        withKey
        none={t('Keine Anfragen in der letzten Stunde', 'No requests in the last hour')}
        hint={t('Die nächste Anfrage erscheint hier.', 'The next request appears here.')}
      />
    </Tail>
  );
};

const Deliveries = () => {
  const tail = useTail<TeamDelivery>(loadDeliveries);
  const { data: endpoints } = useQuery(api.webhooks.list.queryOptions({}));
  const urls = new Map(endpoints?.data.map(({ id, url }) => [id, url]));
  return (
    <Tail tail={tail}>
      <DataTable
        label={t('Zustellungen', 'Deliveries')}
        list={{ ...tail, refetch: () => tail.setOn(true) }}
        keyOf={({ id }) => id}
        columns={[
          { label: t('Zeit', 'Time'), value: ({ created_at }) => created_at, cell: 'exact time' },
          {
            label: t('Ereignis', 'Event'),
            alwaysShown: true,
            cell: ({ event_type }) => <EventType type={event_type} />,
            to: ({ id, endpoint_id }) => `/webhooks/${endpoint_id}/deliveries/${id}`,
          },
          {
            label: t('Endpunkt', 'Endpoint'),
            flexible: true,
            cell: ({ endpoint_id }) => (
              <TextLink underline="hover" to={`/webhooks/${endpoint_id}`}>
                <TextInCell text={urls.get(endpoint_id) ?? endpoint_id} />
              </TextLink>
            ),
          },
          {
            label: t('Status', 'Status'),
            alwaysShown: true,
            cell: ({ status, is_held }) => <DeliveryStatus status={status} isHeld={is_held} />,
          },
          { label: t('Versuche', 'Attempts'), align: 'end', cell: ({ attempt }) => number(attempt) },
          {
            label: t('Letzte Antwort', 'Last response'),
            cell: (delivery) => <div>{delivery.attempt === 0 ? '–' : <Outcome attempt={delivery} />}</div>,
          },
        ]}
        none={t('Keine Zustellungen in der letzten Stunde', 'No deliveries in the last hour')}
        hint={t('Die nächste Zustellung erscheint hier.', 'The next delivery appears here.')}
      />
    </Tail>
  );
};

/** Requests with the team's keys and deliveries to all endpoints, as they happen. */
export default function LivePage() {
  return (
    <Page
      title={t('Live-Ansicht', 'Live view')}
      lead={t(
        'API-Anfragen und Zustellungen an alle Endpunkte in Echtzeit.',
        'API requests and deliveries to all endpoints in real time.',
      )}
    >
      <ViewTabs
        label={t('Ansicht', 'View')}
        views={[
          { value: 'requests', label: t('Anfragen', 'Requests'), content: <Requests /> },
          { value: 'deliveries', label: t('Zustellungen', 'Deliveries'), content: <Deliveries /> },
        ]}
      />
    </Page>
  );
}
