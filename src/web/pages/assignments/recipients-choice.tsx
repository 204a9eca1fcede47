import { MultiSelect } from '@mantine/core';
import { useMembersFound } from '../../kit/members.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

interface RecipientsChoiceProps {
  value: string[];
  onChange: (memberIds: string[]) => void;
  error: string | undefined;
}

/** Chooses who gets something to practise: anybody in the team, also who is invited and not there yet. */
export const RecipientsChoice = ({ value, onChange, error }: RecipientsChoiceProps) => {
  const t = useText();
  const { members, labelOf, search } = useMembersFound();
  const most = app.useAnswer('reference.limits', {}).data?.assignment_recipients;
  const isFull = most !== undefined && value.length >= most;
  const offered = isFull ? members.filter(({ id }) => value.includes(id)) : members;
  return (
    <MultiSelect
      label={t('Empfänger', 'Recipients')}
      description={t(
        'Jeder bekommt eine eigene Aufgabe und eine Mail; Eingeladene sehen die Aufgabe, sobald sie angenommen haben. Angeboten wird nur, was die Vorgaben allen erlauben.',
        'Each gets an assignment of their own and a mail; invited people see the assignment once they have accepted. Only what the policies allow all of them is offered.',
      )}
      required
      searchable
      hidePickedOptions
      data-autofocus
      data={offered.map((member) => ({ value: member.id, label: labelOf(member) }))}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      {...(most !== undefined && { maxValues: most })}
      nothingFoundMessage={
        isFull
          ? t(`Mehr als ${most} auf einmal geht nicht.`, `No more than ${most} at once.`)
          : t('Niemand gefunden', 'Nobody found')
      }
      error={error}
    />
  );
};
