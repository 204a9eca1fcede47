import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.ts';

export default function OverviewPage() {
  const t = useText();
  return <Page title={t('Übersicht', 'Overview')}>{null}</Page>;
}
