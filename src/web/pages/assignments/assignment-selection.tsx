import { Button } from '@mantine/core';
import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import { useConfirm } from '../../kit/confirm.tsx';
import { useCount } from '../../kit/formats.tsx';
import { mostAtOnce, useBulkOutcome, useSelected } from '../../kit/selection.tsx';
import type { Selection } from '../../kit/selection.tsx';
import { useText } from '../../language/language.tsx';
import { client } from '../../server/server.ts';
import { useTitle } from './assignment-parts.tsx';

const keyOf = ({ id }: GivenAssignment): string => id;

/** The actions on several assignments: withdraw and delete them. */
export const useAssignmentSelection = (rows: readonly GivenAssignment[] | undefined) => {
  const t = useText();
  const count = useCount();
  const titleOf = useTitle();
  const confirm = useConfirm();
  const bulk = useBulkOutcome();
  const { selected, set, chosen, drop } = useSelected(rows, keyOf);
  const labelOf = (row: GivenAssignment): string =>
    [titleOf(row), row.member.name ?? row.member.email].filter((part) => part !== null).join(' · ');
  const nameById = (id: string): string => {
    const found = rows?.find((row) => row.id === id);
    return found ? labelOf(found) : id;
  };
  const unfinished = chosen.filter(({ status }) => status === 'open' || status === 'in_progress').slice(0, mostAtOnce);
  const all = chosen.slice(0, mostAtOnce);
  const assignments = (number: number): string =>
    count(number, t('Aufgabe', 'assignment'), t('Aufgaben', 'assignments'));

  const confirmWithdrawal = (): void =>
    confirm({
      title: t(`${assignments(unfinished.length)} zurückziehen?`, `Withdraw ${assignments(unfinished.length)}?`),
      consequences: t(
        'Die Aufgaben gelten dann nicht mehr. Sie können sie einzeln wieder öffnen.',
        'The assignments no longer apply. You can reopen them one by one.',
      ),
      action: t('Zurückziehen', 'Withdraw'),
      harmless: true,
      act: async () => {
        bulk.show(
          await client.app.assigning.revokeMany.mutate({ assignment_ids: unfinished.map(keyOf) }),
          nameById,
          (done) => t(`${assignments(done)} zurückgezogen.`, `${assignments(done)} withdrawn.`),
        );
        drop(unfinished.map(keyOf));
      },
    });

  const confirmRemoval = (): void =>
    confirm({
      title: t(`${assignments(all.length)} löschen?`, `Delete ${assignments(all.length)}?`),
      consequences: t(
        'Die Aufgaben werden für die Mitglieder und in der API gelöscht. Zugehörige Trainings bleiben erhalten. Das kann nicht rückgängig gemacht werden.',
        'The assignments are deleted for the members and in the API. Their trainings are kept. This can’t be undone.',
      ),
      action: t('Löschen', 'Delete'),
      act: async () => {
        bulk.show(await client.app.assigning.removeMany.mutate({ assignment_ids: all.map(keyOf) }), nameById, (done) =>
          t(`${assignments(done)} gelöscht.`, `${assignments(done)} deleted.`),
        );
        drop(all.map(keyOf));
      },
    });

  const selection: Selection<GivenAssignment> = {
    selected,
    set,
    label: labelOf,
    actions: (
      <>
        {unfinished.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={confirmWithdrawal}>
            {t(`Zurückziehen (${unfinished.length})`, `Withdraw (${unfinished.length})`)}
          </Button>
        )}
        <Button size="compact-sm" variant="default" c="var(--bad)" onClick={confirmRemoval}>
          {t(`Löschen (${all.length})`, `Delete (${all.length})`)}
        </Button>
      </>
    ),
  };
  return { selection, bulk };
};
