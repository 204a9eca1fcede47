import { Button, Group, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { BulkResults } from '../../platform/bulk.ts';
import { t } from '../language/language.tsx';
import { number } from './formats.tsx';
import { queries } from '../server/server.ts';
import { Notice, notifyProblem } from './messages.tsx';

/** The rows that one request changes: few enough that the progress is seen. */
const partRows = 50;

interface Run {
  ids: readonly string[];
  /** Changes a part of the rows. */
  call: (ids: string[]) => Promise<BulkResults>;
  doneText: (count: number) => string;
}

/**
 * Runs an action on any number of rows, part after part. While it runs, the page shows how far it is, with a button that stops it. What was
 * done stays done, and `finish` gets the results, also if a request fails.
 */
export const useBulkRun = (finish: (results: BulkResults, doneText: Run['doneText']) => void) => {
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const isStopped = useRef(false);
  const run = useMutation({
    mutationFn: async ({ ids, call, doneText }: Run) => {
      isStopped.current = false;
      const results: BulkResults['results'] = [];
      try {
        for (let done = 0; done < ids.length && !isStopped.current; done += partRows) {
          setProgress({ done, total: ids.length });
          results.push(...(await call(ids.slice(done, done + partRows))).results);
        }
      } finally {
        setProgress(undefined);
        if (results.length > 0) finish({ results }, doneText);
      }
    },
    onError: (error) => {
      notifyProblem(error);
      void queries.invalidateQueries();
    },
  });
  const shown = progress && (
    <Notice
      tone="info"
      role="status"
      title={t(
        `${number(progress.done)} von ${number(progress.total)} erledigt`,
        `${number(progress.done)} of ${number(progress.total)} done`,
      )}
    >
      <Group gap="sm">
        <Progress
          flex={1}
          miw={120}
          value={(100 * progress.done) / progress.total}
          aria-label={t('Fortschritt', 'Progress')}
        />
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            isStopped.current = true;
          }}
        >
          {t('Anhalten', 'Stop')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {t('Lassen Sie diese Seite geöffnet.', 'Keep this page open.')}
      </Text>
    </Notice>
  );
  return {
    start: run.mutate,
    /** Starts an action after its confirmation. It runs on in the page, not in the dialog. */
    confirmed: (wanted: Run) => () => {
      run.mutate(wanted);
      return Promise.resolve();
    },
    isRunning: run.isPending,
    progress: shown,
  };
};
