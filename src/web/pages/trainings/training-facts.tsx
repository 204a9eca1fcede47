import { Anchor, Code, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ExactTime } from '../../kit/formats.tsx';
import { usePersonNames } from '../../kit/names.ts';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { lengthOf, TrainingStatus } from './training-words.tsx';
import type { Training } from './training-words.tsx';
import classes from './trainings.module.css';
import { useSeesOthers } from './use-training.ts';

const Coming = () => <Skeleton component="span" display="inline-block" height={14} width={140} />;

const Fact = ({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) => (
  <div className={classes['fact']} data-wide={wide}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Person = ({ userId }: { userId: string }) => {
  const t = useText();
  const names = usePersonNames([userId]);
  if (!names) return <Coming />;
  return (
    <Anchor component={Link} to={`/trainings?user_id=${userId}`} inherit>
      {names.get(userId) ?? t('Unbekannt', 'Unknown')}
    </Anchor>
  );
};

const Assignment = ({ id }: { id: string }) => {
  const t = useText();
  const seesOthers = useSeesOthers();
  const { data, error } = api.useAnswer('assignments.get', { assignment_id: id }, { enabled: seesOthers });
  if (seesOthers && !data && !error) return <Coming />;
  return (
    <Anchor component={Link} to={`/assignments?assignment_id=${id}`} inherit>
      {data?.title ?? t('Zur Aufgabe', 'Go to the assignment')}
    </Anchor>
  );
};

interface TrainingFactsProps {
  training: Training;
  /** Of the catalog's items; undefined while they load. */
  names: ReadonlyMap<string, string> | undefined;
}

/** What was practised, by whom and when. */
export const TrainingFacts = ({ training, names }: TrainingFactsProps) => {
  const t = useText();
  const seesOthers = useSeesOthers();
  const named = (id: string | null) => {
    if (id === null) return '–';
    return names ? (names.get(id) ?? t('Nicht mehr im Katalog', 'Not in the catalog any more')) : <Coming />;
  };
  const sources: Readonly<Record<Training['source'], string>> = {
    app: t('In der App', 'In the app'),
    phone: t('Am Telefon', 'On the phone'),
    api: t('Über die API', 'Through the API'),
  };
  const { created_at, duration_s, external_ref, assignment_id } = training;
  return (
    <Panel title={t('Angaben', 'Details')} actions={<TrainingStatus of={training.status} />}>
      <dl className={classes['facts']}>
        {seesOthers && (
          <Fact label={t('Wer', 'Who')}>
            <Person userId={training.user_id} />
          </Fact>
        )}
        <Fact label={t('Situation', 'Situation')}>{named(training.situation_id)}</Fact>
        <Fact label={t('Persönlichkeit', 'Personality')}>{named(training.personality_id)}</Fact>
        <Fact label={t('Branche', 'Industry')}>{named(training.industry_id)}</Fact>
        {training.role_id !== null && <Fact label={t('Rolle', 'Role')}>{named(training.role_id)}</Fact>}
        <Fact label={t('Begonnen', 'Started')}>{created_at === null ? '–' : <ExactTime at={created_at} />}</Fact>
        <Fact label={t('Dauer', 'Length')}>{duration_s === null ? '–' : lengthOf(duration_s)}</Fact>
        <Fact label={t('Wo', 'Where')}>{sources[training.source]}</Fact>
        {assignment_id !== null && (
          <Fact label={t('Aufgabe', 'Assignment')}>
            <Assignment id={assignment_id} />
          </Fact>
        )}
        {external_ref !== null && (
          <Fact label={t('Bezug in anderen Systemen', 'Reference in other systems')} wide>
            <Code block className={classes['reference'] ?? ''}>
              {JSON.stringify(external_ref, null, 2)}
            </Code>
          </Fact>
        )}
      </dl>
      <Text size="xs" c="dimmed" mt="md" style={{ overflowWrap: 'anywhere' }}>
        {t('Kennung', 'Id')}: {training.id}
      </Text>
    </Panel>
  );
};
