import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Empty } from '../kit/empty.tsx';
import { Page } from '../kit/page.tsx';
import { useText } from '../language/language.ts';

export const NotFoundPage = () => {
  const t = useText();
  return (
    <Page title={t('Seite nicht gefunden', 'Page not found')}>
      <Empty
        title={t('Unter dieser Adresse gibt es nichts', 'There is nothing at this address')}
        action={
          <Button component={Link} to="/">
            {t('Zur Übersicht', 'To the overview')}
          </Button>
        }
      />
    </Page>
  );
};
