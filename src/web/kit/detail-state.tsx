import { Skeleton, Stack } from '@mantine/core';
import { useText } from '../language/language.ts';
import { Empty } from './empty.tsx';
import { Panel } from './panel.tsx';
import { ProblemAlert } from './problem-alert.tsx';

interface DetailStateProps {
  error: unknown;
  retry: () => void;
  /** The message if the thing does not exist. Undefined while that is not known. */
  missing: { title: string; advice: string } | undefined;
}

/** Shown in place of one thing’s details: it is missing, could not be read, or is being read. */
export const DetailState = ({ error, retry, missing }: DetailStateProps) => {
  const t = useText();
  if (missing) {
    return (
      <Panel>
        <Empty title={missing.title}>{missing.advice}</Empty>
      </Panel>
    );
  }
  if (error !== null && error !== undefined) return <ProblemAlert error={error} retry={retry} />;
  return (
    <Stack role="status" aria-label={t('Wird geladen', 'Loading')}>
      <Skeleton height={140} radius="lg" />
      <Skeleton height={260} radius="lg" />
    </Stack>
  );
};
