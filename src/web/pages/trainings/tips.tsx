import { Stack, Text, Title } from '@mantine/core';
import { useText } from '../../language/language.tsx';
import type { Evaluation } from './training-words.tsx';
import classes from './trainings.module.css';

type Tip = Evaluation['tips'][number];

const TipCard = ({ tip: { issue, moment, principle, rewrite, impact } }: { tip: Tip }) => {
  const t = useText();
  return (
    <Stack gap="md" component="li" className={classes['tip'] ?? ''}>
      <Title order={3} size="h5">
        {issue}
      </Title>
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          {t('Im Gespräch', 'In the conversation')}
        </Text>
        <blockquote className={classes['quote']}>{moment}</blockquote>
      </div>
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          {t('Besser so', 'Better like this')}
        </Text>
        <blockquote className={classes['quote']} data-good>
          {rewrite}
        </blockquote>
      </div>
      <Text size="sm">
        <Text span inherit fw={600}>
          {principle}
        </Text>{' '}
        {impact}
      </Text>
    </Stack>
  );
};

/** What to do differently next time, moment by moment. */
export const Tips = ({ tips }: { tips: readonly Tip[] }) => {
  const t = useText();
  if (tips.length === 0) return null;
  return (
    <section aria-label={t('Tipps', 'Tips')}>
      <Title order={2} size="h4" mb="md">
        {t('Tipps für das nächste Mal', 'Tips for next time')}
      </Title>
      <ol className={classes['tips']}>
        {tips.map((tip, index) => (
          <TipCard key={index} tip={tip} />
        ))}
      </ol>
    </section>
  );
};
