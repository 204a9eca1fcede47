import type { AppProblem } from '../../server/problem.ts';
import { t } from '../../language/texts.ts';

/** Advice on a problem whose title does not say what to do. */
export const adviceOn = ({ code, field }: Partial<AppProblem>): string | undefined => {
  const advice: Partial<Record<AppProblem['code'], string>> = {
    last_admin: t(
      'Ein Team braucht mindestens einen aktiven Admin. Machen Sie zuerst ein anderes Mitglied zum Admin.',
      'A team needs at least one active admin. Make another member an admin first.',
    ),
    owner: t(
      'Der Inhaber kann nicht geändert oder entfernt werden. Er kann das Team an ein anderes Mitglied übergeben.',
      'The owner can’t be changed or removed. The owner can transfer the team to another member.',
    ),
    seat_limit_reached: t(
      'Der Inhaber sowie aktive und eingeladene Mitglieder belegen je einen Platz. Entfernen Sie ein Mitglied oder ziehen Sie eine Einladung zurück.',
      'The owner, active members and invited members take one seat each. Remove a member or withdraw an invitation.',
    ),
  };
  if (field === 'webhook_endpoints') {
    return t(
      'Ihr Team hat die maximale Anzahl an Endpunkten erreicht. Löschen Sie einen Endpunkt, den Sie nicht mehr benötigen.',
      'Your team has reached the maximum number of endpoints. Delete an endpoint that you no longer need.',
    );
  }
  return code && advice[code];
};
