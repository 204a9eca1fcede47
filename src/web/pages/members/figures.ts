import { count, number, sumOf } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

export interface Seats {
  readonly total: number;
  readonly taken: number;
}

/** `3 von 10 Plätzen belegt`, as a part of a sentence. */
export const seatsTakenText = ({ taken, total }: Seats): string =>
  total === 1
    ? t(`${number(taken)} von 1 Platz belegt`, `${number(taken)} of 1 seat taken`)
    : t(`${number(taken)} von ${number(total)} Plätzen belegt`, `${number(taken)} of ${number(total)} seats taken`);

export const seatsLeftText = (left: number): string => {
  if (left === 0) return t('Alle Plätze des Teams sind belegt.', 'All seats of the team are taken.');
  if (left === 1) return t('Nur noch 1 Platz ist frei.', 'Only 1 seat is available.');
  return t(`Nur noch ${number(left)} Plätze sind frei.`, `Only ${number(left)} seats are available.`);
};

interface InvitationsOfHour {
  readonly left: number;
  readonly limit: number;
}

/** How many seats are free for these new people, and how many invitations wait for the next hour. */
export const roomFor = (wanted: number, { total, taken }: Seats, { left }: InvitationsOfHour) => {
  const seats = Math.max(0, total - taken);
  return { seats, isShort: wanted > seats, later: Math.max(0, Math.min(wanted, seats) - left) };
};

export const invitationsLeftText = ({ left, limit }: InvitationsOfHour): string =>
  left === 1
    ? t(
        `Das zählt als Einladung. In dieser Stunde ist noch 1 von ${number(limit)} verfügbar.`,
        `This counts as an invitation. 1 of ${number(limit)} is left this hour.`,
      )
    : t(
        `Das zählt als Einladung. In dieser Stunde sind noch ${number(left)} von ${number(limit)} verfügbar.`,
        `This counts as an invitation. ${number(left)} of ${number(limit)} are left this hour.`,
      );

export const members = (found: number): string => count(found, t('Mitglied', 'member'), t('Mitglieder', 'members'));

export const invitations = (found: number): string =>
  count(found, t('Einladung', 'invitation'), t('Einladungen', 'invitations'));

export const laterText = (found: number): string =>
  count(
    found,
    t('Einladung wird später gesendet', 'invitation will be sent later'),
    t('Einladungen werden später gesendet', 'invitations will be sent later'),
  );

export const waitingText = (found: number): string =>
  count(found, t('Einladung wartet', 'invitation waits'), t('Einladungen warten', 'invitations wait'));

export const cancelWaitingText = (found: number): string =>
  t(
    `${count(found, 'wartende Einladung', 'wartende Einladungen')} löschen?`,
    `Delete ${count(found, 'waiting invitation', 'waiting invitations')}?`,
  );

export const canceledText = (found: number): string =>
  count(found, t('Einladung gelöscht.', 'invitation deleted.'), t('Einladungen gelöscht.', 'invitations deleted.'));

/** The text of the button that invites the people of a list. */
export const inviteText = (people: number): string =>
  t(`${count(people, 'Person', 'Personen')} einladen`, `Invite ${count(people, 'person', 'people')}`);

interface InvitationCounts {
  readonly invited: number;
  readonly waiting: number;
  readonly all: number;
}

/** How many people of a list are neither invited nor waiting. */
export const notInvited = ({ invited, waiting, all }: InvitationCounts): number => all - invited - waiting;

/** The results for the people of a list. */
export const outcomesText = (outcomes: InvitationCounts): string => {
  const { invited, waiting } = outcomes;
  const left = notInvited(outcomes);
  const none = t('Es wurden keine Einladungen gesendet.', 'No invitations were sent.');
  return [
    invited === 0 && waiting === 0 && none,
    invited > 0 && t(`${invitations(invited)} gesendet.`, `${invitations(invited)} sent.`),
    waiting > 0 && `${laterText(waiting)}.`,
    left > 0 &&
      count(
        left,
        t('Person wurde nicht eingeladen.', 'person was not invited.'),
        t('Personen wurden nicht eingeladen.', 'people were not invited.'),
      ),
  ]
    .filter((part) => part !== false)
    .join(' ');
};

interface ReviewCounts {
  readonly wanted: number;
  readonly mistakes: number;
  /** People who are already active, invited or waiting for their invitation. */
  readonly present: number;
  readonly twice: number;
  /** People beyond the maximum of one list. */
  readonly further: number;
}

/** How many invitations will be sent, and how many lines are left out, by reason. */
export const reviewTexts = ({ wanted, mistakes, present, twice, further }: ReviewCounts): string[] => {
  const some = wanted === 0 ? t('Keine', 'None') : number(wanted);
  return [
    wanted === 1
      ? t('1 wird eingeladen', '1 will be invited')
      : t(`${some} werden eingeladen`, `${some} will be invited`),
    mistakes > 0 && t(`${number(mistakes)} zu korrigieren`, `${number(mistakes)} to fix`),
    present > 0 &&
      t(`${number(present)} bereits im Team oder eingeladen`, `${number(present)} already in the team or invited`),
    twice > 0 && t(`${number(twice)} doppelt`, count(twice, 'duplicate', 'duplicates')),
    further > 0 && t(`${number(further)} zu viel`, `${number(further)} too many`),
  ].filter((part) => part !== false);
};

export const moreLinesText = (more: number): string =>
  t(`und ${count(more, 'weitere Zeile', 'weitere Zeilen')}`, `and ${count(more, 'more line', 'more lines')}`);

interface HoldingCounts {
  readonly open_assignments: number;
  readonly assignments: number;
  readonly trainings: number;
}

/**
 * How many assignments and trainings people have together, from the answers about parts of them; null while the team
 * hides this.
 */
export const heldTogether = (parts: readonly (HoldingCounts | null)[]): HoldingCounts | null => {
  const known = parts.filter((part) => part !== null);
  if (known.length < parts.length) return null;
  return {
    open_assignments: sumOf(known, 'open_assignments'),
    assignments: sumOf(known, 'assignments'),
    trainings: sumOf(known, 'trainings'),
  };
};

/**
 * How many assignments and trainings are concerned when people are removed or their data is erased. A removal
 * withdraws open assignments and hides trainings; an erasure deletes all of both.
 */
export const holdingsText = (held: HoldingCounts, isErased: boolean): string => {
  const trainings = count(held.trainings, t('Training', 'training'), t('Trainings', 'trainings'));
  if (isErased) {
    const assignments = count(held.assignments, t('Aufgabe', 'assignment'), t('Aufgaben', 'assignments'));
    return t(`Gelöscht werden ${trainings} und ${assignments}.`, `${trainings} and ${assignments} will be erased.`);
  }
  const open = count(
    held.open_assignments,
    t('offene Aufgabe', 'open assignment'),
    t('offene Aufgaben', 'open assignments'),
  );
  return t(
    `Zurückgezogen: ${open}. Nicht mehr angezeigt: ${trainings}.`,
    `Withdrawn: ${open}. No longer shown: ${trainings}.`,
  );
};

// The actions on several members.

export const roleQuestion = (found: number, role: 'admin' | 'member'): string => {
  const people = members(found);
  if (role === 'member') return t(`${people} zum Mitglied machen?`, `Change the role of ${people} to Member?`);
  return found === 1
    ? t(`${people} zum Admin machen?`, `Make ${people} an admin?`)
    : t(`${people} zu Admins machen?`, `Make ${people} admins?`);
};

export const changedText = (done: number): string =>
  count(done, t('Mitglied geändert.', 'member changed.'), t('Mitglieder geändert.', 'members changed.'));

interface SelectedMembers {
  readonly chosen: readonly { readonly role: 'owner' | 'admin' | 'member' }[];
  readonly changeable: number;
}

/** Which of the selected people an action leaves out, and why. It does not mention people who are not selected. */
export const leftOutTexts = ({ chosen, changeable }: SelectedMembers): string[] => {
  const has = (role: 'owner' | 'admin'): boolean => chosen.some((one) => one.role === role);
  return [
    has('owner') &&
      t(
        `${number(changeable)} von ${number(chosen.length)} Ausgewählten: ohne den Inhaber.`,
        `${number(changeable)} of ${number(chosen.length)} selected: without the owner.`,
      ),
    has('admin') &&
      t('Der letzte aktive Admin bleibt Admin des Teams.', 'The last active admin stays an admin of the team.'),
  ].filter((text) => text !== false);
};

export const removalQuestion = (found: number): string =>
  t(`${members(found)} aus dem Team entfernen?`, `Remove ${members(found)} from the team?`);

export const removedText = (done: number): string =>
  count(done, t('Mitglied entfernt.', 'member removed.'), t('Mitglieder entfernt.', 'members removed.'));

export const resendQuestion = (found: number): string =>
  t(`${invitations(found)} erneut senden?`, `Resend ${invitations(found)}?`);

export const resentText = (done: number): string =>
  count(done, t('Einladung gesendet.', 'invitation sent.'), t('Einladungen gesendet.', 'invitations sent.'));

export const withdrawalQuestion = (found: number): string =>
  t(`${invitations(found)} zurückziehen?`, `Withdraw ${invitations(found)}?`);

export const withdrawnText = (done: number): string =>
  count(
    done,
    t('Einladung zurückgezogen.', 'invitation withdrawn.'),
    t('Einladungen zurückgezogen.', 'invitations withdrawn.'),
  );

/** The texts for a change of one member's role: the question, the button and the confirmation. */
export const roleTexts = (name: string, role: 'admin' | 'member'): { question: string; action: string; done: string } =>
  role === 'admin'
    ? {
        question: t(`${name} zum Admin machen?`, `Make ${name} an admin?`),
        action: t('Zum Admin machen', 'Make an admin'),
        done: t(`${name} ist jetzt Admin.`, `${name} is now an admin.`),
      }
    : {
        question: t(`${name} zum Mitglied machen?`, `Make ${name} a member?`),
        action: t('Zum Mitglied machen', 'Make a member'),
        done: t(`${name} ist jetzt Mitglied.`, `${name} is now a member.`),
      };

/** The effect of a new role on several members. */
export const roleEffect = (role: 'admin' | 'member'): string =>
  role === 'admin'
    ? t(
        'Admins verwalten Mitglieder, Aufgaben, Freigaben und die Einstellungen des Teams.',
        'Admins manage members, assignments, policies and the team’s settings.',
      )
    : t('Der Zugriff auf die Verwaltung des Teams endet sofort.', 'Access to team administration ends immediately.');
