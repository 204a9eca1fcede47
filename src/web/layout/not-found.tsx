import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Empty } from '../kit/messages.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { t } from '../language/language.tsx';

export const NotFoundPage = () => (
  <Page title={t('Seite nicht gefunden', 'Page not found')}>
    <Panel>
      <Empty
        title={t('Die Seite existiert nicht oder wurde verschoben', 'The page does not exist or has moved')}
        action={
          <Button component={Link} to="/">
            {t('Zur Übersicht', 'Go to overview')}
          </Button>
        }
      />
    </Panel>
  </Page>
);
