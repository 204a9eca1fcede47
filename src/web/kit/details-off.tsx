import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useText } from '../language/language.ts';
import { Empty } from './empty.tsx';
import { Panel } from './panel.tsx';

/** Says calmly that a list about individual people is closed, as the team has decided, and what can be done all the same. */
export const DetailsOff = ({ title, children }: { title: string; children: ReactNode }) => {
  const t = useText();
  return (
    <Panel>
      <Empty
        title={title}
        action={
          <Anchor component={Link} to="/settings" size="sm">
            {t('Zu den Einstellungen', 'To the settings')}
          </Anchor>
        }
      >
        {t(
          'Ihr Team zeigt keine Angaben zu einzelnen Personen, weder hier noch in der API.',
          'Your team shows no details about individual people, neither here nor in the API.',
        )}{' '}
        {children}
      </Empty>
    </Panel>
  );
};
