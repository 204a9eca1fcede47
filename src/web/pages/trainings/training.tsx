import { Button, Skeleton, Stack } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { useCatalogNames } from '../../kit/names.ts';
import { Page, Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { EvaluationOf } from './evaluation.tsx';
import { TrainingFacts } from './training-facts.tsx';
import type { Training } from './training-words.tsx';
import { useTraining } from './use-training.ts';

/** Why there is no evaluation. */
const NotScored = ({ status }: { status: Exclude<Training['status'], 'scored'> }) => {
  const t = useText();
  const reasons: Readonly<Record<typeof status, string>> = {
    running: t(
      'Das Training läuft noch. Ausgewertet wird es, wenn es zu Ende ist.',
      'The training is still running. It is scored once it has ended.',
    ),
    ended: t(
      'Das Training ist zu Ende. Die Auswertung erscheint hier, sobald sie fertig ist.',
      'The training has ended. The evaluation shows up here as soon as it is ready.',
    ),
    aborted: t(
      'Das Training wurde abgebrochen und wird deshalb nicht ausgewertet.',
      'The training was aborted, so it will not be scored.',
    ),
  };
  const title =
    status === 'aborted' ? t('Keine Auswertung', 'No evaluation') : t('Noch nicht ausgewertet', 'Not scored yet');
  return (
    <Panel title={t('Auswertung', 'Evaluation')}>
      <Empty title={title}>{reasons[status]}</Empty>
    </Panel>
  );
};

interface Back {
  to: string;
  label: string;
}

const Shown = ({ training, back }: { training: Training; back: Back }) => {
  const t = useText();
  const { id, status, situation_id, personality_id, industry_id, role_id } = training;
  const names = useCatalogNames([situation_id, personality_id, industry_id, role_id]);
  return (
    <Page title={names?.get(situation_id ?? '') ?? t('Training', 'Training')} back={back}>
      <TrainingFacts training={training} names={names} />
      {status === 'scored' ? <EvaluationOf trainingId={id} /> : <NotScored status={status} />}
    </Page>
  );
};

export default function TrainingPage() {
  const t = useText();
  const { id = '' } = useParams();
  const { data: training, error, retry, isMissing } = useTraining(id);
  const back = { to: '/trainings', label: t('Trainings', 'Trainings') };
  if (isMissing) {
    return (
      <Page title={t('Training nicht gefunden', 'Training not found')} back={back}>
        <Empty
          title={t(
            'Dieses Training gibt es nicht, oder es ist nicht für Sie',
            'There is no such training, or it is not for you',
          )}
          action={
            <Button component={Link} to="/trainings" variant="default">
              {t('Zu den Trainings', 'Go to trainings')}
            </Button>
          }
        />
      </Page>
    );
  }
  if (training) return <Shown training={training} back={back} />;
  return (
    <Page title={t('Training', 'Training')} back={back}>
      {error ? (
        <ProblemAlert error={error} retry={retry} />
      ) : (
        <Stack gap="lg" role="status" aria-label={t('Wird geladen', 'Loading')}>
          <Skeleton height={190} radius="lg" />
          <Skeleton height={420} radius="lg" />
        </Stack>
      )}
    </Page>
  );
}
