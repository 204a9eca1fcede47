import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

/** Who is here, and how many more may come. */
export const SeatsTaken = () => {
  const t = useText();
  const { data } = app.useAnswer('team.settings', {});
  const who = t('Wer im Team ist und wer eingeladen wurde.', 'Who is in the team and who was invited.');
  if (!data) return who;
  const { taken, total } = data.seats;
  const seats =
    total === 1
      ? t('Der eine Platz ist belegt.', 'The one seat is taken.')
      : t(`${taken} von ${total} Plätzen sind belegt.`, `${taken} of ${total} seats are taken.`);
  return `${who} ${seats}`;
};
