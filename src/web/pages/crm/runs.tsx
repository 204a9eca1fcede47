import { useEffect } from 'react';
import type { Run } from '../../../modules/crm/schema.ts';
import { Empty } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { useCrmLimits } from './connection-forms.tsx';
import { Quiet, SyncResult } from './connection-words.tsx';
import classes from './crm.module.css';

const pageSize = 10;
const refetchMs = 1_500;

const Kind = ({ run: { kind, on_demand }, isFirst }: { run: Run; isFirst: boolean }) => {
  const t = useText();
  const words: Record<Run['kind'], string> = {
    full: t('Vollständig', 'Full'),
    incremental: t('Änderungen', 'Changes'),
  };
  const scheduled = isFirst ? t('Erster Abgleich', 'First sync') : t('Nach Plan', 'Scheduled');
  const cause = on_demand ? t('Manuell gestartet', 'Started manually') : scheduled;
  return (
    <div>
      <span className={classes['whole']}>{words[kind]}</span>
      <Quiet>{cause}</Quiet>
    </div>
  );
};

const minuteMs = 60_000;

/** How long a run took: `0,8 Sek.`, `2:05 Min.`. */
const useTaken = (): ((run: Run) => string) => {
  const t = useText();
  const locale = useLocale();
  return ({ started_at, ended_at }) => {
    if (ended_at === null) return '–';
    const ms = Math.max(0, Date.parse(ended_at) - Date.parse(started_at));
    if (ms < minuteMs) {
      const seconds = (ms / 1_000).toLocaleString(locale, { maximumFractionDigits: 1 });
      return t(`${seconds} Sek.`, `${seconds} s`);
    }
    const seconds = String(Math.floor((ms % minuteMs) / 1_000)).padStart(2, '0');
    const minutes = Math.floor(ms / minuteMs).toLocaleString(locale);
    return t(`${minutes}:${seconds} Min.`, `${minutes}:${seconds} min`);
  };
};

/** The syncs of a connection, newest first. */
export const Runs = ({ connectionId }: { connectionId: string }) => {
  const t = useText();
  const taken = useTaken();
  const list = usePages(app.crm.runs.infiniteQueryOptions({ connection_id: connectionId, limit: pageSize }, nextPage));
  const limits = useCrmLimits();
  const { rows, refetch } = list;
  const isRunning = rows?.some(({ ended_at }) => ended_at === null) ?? false;
  // Older runs are deleted once the history is full.
  const hasAll = rows !== undefined && !list.hasNextPage && rows.length < (limits?.runs_kept ?? 0);
  const firstId = hasAll ? rows.at(-1)?.run_id : undefined;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => void refetch(), refetchMs);
    return () => clearInterval(timer);
  }, [isRunning, refetch]);
  return (
    <Panel title={t('Verlauf', 'History')}>
      <DataTable
        label={t('Verlauf', 'History')}
        csv={{ read: (page) => client.app.crm.runs.query({ connection_id: connectionId, ...page }) }}
        list={list}
        keyOf={({ run_id }) => run_id}
        columns={[
          { label: t('Beginn', 'Started'), value: ({ started_at }) => started_at, cell: 'exact time' },
          { label: t('Ende', 'Ended'), value: ({ ended_at }) => ended_at },
          {
            label: t('Typ', 'Type'),
            value: ({ kind }) => kind,
            cell: (run) => <Kind run={run} isFirst={run.run_id === firstId} />,
          },
          { label: t('Manuell gestartet', 'Started manually'), value: ({ on_demand }) => on_demand },
          {
            label: t('Ergebnis', 'Result'),
            value: ({ outcome }) => outcome,
            cell: ({ outcome, reason, reason_de }) => (
              <SyncResult outcome={outcome} reason={t(reason_de, reason)} whole />
            ),
          },
          { label: t('Grund', 'Reason'), value: ({ reason, reason_de }) => t(reason_de, reason) },
          { label: 'Deals', value: ({ deals }) => deals, fold: 1, cell: 'number' },
          { label: t('Einwände', 'Objections'), value: ({ objections }) => objections, fold: 2, cell: 'number' },
          { label: t('Gelöscht', 'Deleted'), value: ({ deleted }) => deleted, fold: 3, cell: 'number' },
          { label: t('Dauer', 'Duration'), align: 'end', fold: 4, cell: taken },
        ]}
        empty={
          <Empty title={t('Noch kein Abgleich', 'No sync yet')}>
            {t('Hier sehen Sie jeden Abgleich mit seinem Ergebnis.', 'Each sync and its result are listed here.')}
          </Empty>
        }
      />
    </Panel>
  );
};
