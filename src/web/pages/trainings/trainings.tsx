import { DetailsOff, Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import { OwnTrainings } from './own-trainings.tsx';
import { TeamTrainings } from './team-trainings.tsx';
import { useSeesOthers } from './use-training.ts';

export default function TrainingsPage() {
  const t = useText();
  const { may } = useHere();
  const seesOthers = useSeesOthers();
  return (
    <Page
      title={t('Trainings', 'Trainings')}
      lead={
        seesOthers
          ? t('Was in Ihrem Team geübt wurde, das Neueste zuerst.', 'What your team practised, newest first.')
          : t('Was Sie geübt haben, das Neueste zuerst.', 'What you practised, newest first.')
      }
    >
      {may('admin') && !seesOthers && (
        <DetailsOff title={t('Einzelne Personen sind verborgen', 'Individual people are hidden')}>
          {t('Unten stehen deshalb nur Ihre eigenen Trainings.', 'So only your own trainings are listed below.')}
        </DetailsOff>
      )}
      {seesOthers ? <TeamTrainings /> : <OwnTrainings />}
    </Page>
  );
}
