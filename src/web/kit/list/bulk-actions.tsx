import { Button, Group, List, Progress, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { Hint } from '../text/text.tsx';
import type { BulkResults } from '../../../platform/bulk.ts';
import { t } from '../../language/language.tsx';
import { queries } from '../../server/server.ts';
import { useConfirm, type Question } from '../dialog/confirm.tsx';
import { doneText, failedText, forGood } from './counts.ts';
import { among, nothingSelected } from './list-rules.ts';
import { Notice, notify, notifyProblem } from '../page/messages.tsx';
import { refusalText } from './refusal-text.ts';

/** How many rows one request changes: so few that the reader sees progress. */
const partRows = 50;

interface BulkRun {
  ids: readonly string[];
  /** Changes a part of the rows. */
  call: (ids: string[]) => Promise<BulkResults>;
  doneText: (count: number) => string;
  /** The name of a row in messages. By default the label of the row. */
  nameOf?: (id: string) => string;
  /** Undoes the action for the rows for which it was done. */
  undo?: ((ids: string[]) => Promise<unknown>) | undefined;
}

/**
 * The selection among the rows of a list, and actions on any number of them. An action runs in parts, one after the
 * other. Rows that leave the list are no longer selected. While an action runs, `outcome` shows its progress, with a
 * button that stops it. Changes that were already made stay, even if a request fails. Successes are confirmed; failures
 * stay visible with their reasons.
 */
export const useBulkActions = <Row extends { id: string }>(
  rows: readonly Row[] | undefined,
  label: (row: Row) => string,
) => {
  const confirm = useConfirm();
  const [stored, set] = useState(nothingSelected);
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const [progress, setProgress] = useState<BulkProgressProps>();
  const isStopped = useRef(false);
  const selected = useMemo(() => among(stored, rows?.map(({ id }) => id) ?? []), [stored, rows]);
  const nameOf = (id: string): string => {
    const row = rows?.find((one) => one.id === id);
    return row === undefined ? id : label(row);
  };
  /** Shows the results of an action, and removes its rows from the selection. */
  const finish = (
    results: BulkResults['results'],
    { doneText, undo, nameOf: named = nameOf }: Pick<BulkRun, 'doneText' | 'undo' | 'nameOf'>,
  ): void => {
    const failed = results.flatMap((item) =>
      item.code === null ? [] : [{ name: named(item.id), reason: refusalText(item) }],
    );
    const done = results.length - failed.length;
    setOutcome({ done, failed });
    const changed = results.flatMap(({ id, code }) => (code === null ? [id] : []));
    if (done > 0) notify(doneText(done), undo && (() => undo(changed)));
    const ids = new Set(results.map(({ id }) => id));
    // An action in parts takes a while, so the selection may have changed since it began.
    set(({ keys }) => ({ keys: new Set([...keys].filter((key) => !ids.has(key))), last: undefined }));
  };
  const { mutate: start, isPending: isRunning } = useMutation({
    mutationFn: async ({ ids, call, ...words }: BulkRun) => {
      isStopped.current = false;
      const stop = (): void => {
        isStopped.current = true;
      };
      const results: BulkResults['results'] = [];
      try {
        for (let done = 0; done < ids.length && !isStopped.current; done += partRows) {
          setProgress({ done, total: ids.length, stop });
          results.push(...(await call(ids.slice(done, done + partRows))).results);
        }
      } finally {
        setProgress(undefined);
        if (results.length > 0) finish(results, words);
      }
    },
    onError: (error) => {
      notifyProblem(error);
      void queries.invalidateQueries();
    },
  });
  return {
    selection: { selected, set, label },
    chosen: rows?.filter(({ id }) => selected.keys.has(id)) ?? [],
    start,
    /** Starts an action once the reader has confirmed it. It continues in the page, not in the dialog. */
    ask: ({
      ids,
      call,
      doneText,
      undo,
      ...question
    }: Omit<Question, 'act' | 'done' | 'undo'> & Omit<BulkRun, 'nameOf'>): void =>
      confirm({
        ...question,
        act: () => {
          start({ ids, call, doneText, undo });
          return Promise.resolve();
        },
      }),
    /**
     * The parts of a question about an action that can't be undone: the names, and for several rows their number, which
     * has to be typed.
     */
    forGood: (ids: readonly string[], again: string) => forGood(ids.map(nameOf), again),
    isRunning,
    outcome: (
      <>
        {progress && <BulkProgress {...progress} />}
        <BulkFailures outcome={outcome} onClose={() => setOutcome(undefined)} />
      </>
    ),
  };
};

interface BulkProgressProps {
  done: number;
  total: number;
  stop: () => void;
}

const BulkProgress = ({ done, total, stop }: BulkProgressProps) => (
  <Notice tone="info" role="status" title={doneText({ done, total })}>
    <Group gap="sm">
      <Progress flex={1} miw={120} value={(100 * done) / total} aria-label={t('Fortschritt', 'Progress')} />
      <Button size="compact-sm" onClick={stop}>
        {t('Anhalten', 'Stop')}
      </Button>
    </Group>
    <Hint size="xs">{t('Lassen Sie diese Seite geöffnet.', 'Keep this page open.')}</Hint>
  </Notice>
);

interface BulkOutcome {
  done: number;
  failed: readonly { name: string; reason: string }[];
}

/** The rows for which an action was not possible. Shown until the reader closes the message. */
const BulkFailures = ({ outcome, onClose }: { outcome: BulkOutcome | undefined; onClose: () => void }) => {
  if (!outcome || outcome.failed.length === 0) return null;
  const { done, failed } = outcome;
  return (
    <Notice tone="warn" role="alert" title={failedText({ done, failed: failed.length })}>
      <Stack gap="xs" align="flex-start">
        <List size="sm" mah={220} style={{ overflowY: 'auto' }} tabIndex={0} aria-label={t('Gründe', 'Reasons')}>
          {failed.map(({ name, reason }, index) => (
            <List.Item key={index}>
              <b>{name}</b>: {reason}
            </List.Item>
          ))}
        </List>
        <Button size="compact-sm" onClick={onClose}>
          {t('Ausblenden', 'Dismiss')}
        </Button>
      </Stack>
    </Notice>
  );
};
