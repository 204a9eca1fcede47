import type { Holders, ReminderPreview } from '../../../modules/assignments/schema.ts';
import type { TeamMemberFilters } from '../../../modules/members/schema.ts';
import { personLabel, type Person } from '../../kit/names/person-label.ts';
import { sumOf } from '../../kit/text/figures.ts';
import { t } from '../../language/texts.ts';

/** A member who is to get an assignment. */
export interface Recipient {
  value: string;
  label: string;
  /** A short name, shown where there is little room, if it differs from the label. */
  name?: string;
}

export const recipientOf = (member: Pick<Person, 'id' | 'name' | 'email' | 'status'>): Recipient => ({
  value: member.id,
  label: personLabel(member),
  name: member.name ?? member.email,
});

/** Both lists together, with each recipient once. */
export const withMore = (some: readonly Recipient[], others: readonly Recipient[]): Recipient[] => [
  ...new Map([...some, ...others].map((one) => [one.value, one])).values(),
];

/** The choices if some of the recipients already have the assignment. */
export const whoGets = ['all', 'not open', 'never had'] as const;
export type WhoGets = (typeof whoGets)[number];

type Holder = Holders['data'][number];

/** For each of these choices, the recipients who then get the assignment. */
export const recipientsBy = (
  recipients: readonly Recipient[],
  holders: readonly Holder[],
): Readonly<Record<WhoGets, readonly Recipient[]>> => {
  const without = (some: readonly Holder[]) => {
    const ids = new Set(some.map(({ member_id }) => member_id));
    return recipients.filter(({ value }) => !ids.has(value));
  };
  return { all: recipients, 'not open': without(holders.filter(({ open }) => open)), 'never had': without(holders) };
};

/** The filters by which recipients are added, as the reader chose them: texts, empty for all. */
export type PeopleFilter = Readonly<Record<'role' | 'status' | 'days', string>>;

export const noFilter: PeopleFilter = { role: '', status: '', days: '' };

/** These filters in the form that the list of members takes. */
export const matchingOf = ({ role, status, days }: PeopleFilter): TeamMemberFilters => ({
  ...((role === 'owner' || role === 'admin' || role === 'member') && { role }),
  ...((status === 'active' || status === 'invited') && { status }),
  ...(days !== '' && { inactive: Number(days) }),
});

/** One preview, put together from the previews of several calls. */
export const previewOf = (parts: readonly ReminderPreview[]) => ({
  mails: parts.flatMap(({ data }) => data).length,
  lately: sumOf(parts, 'reminded_lately'),
  unreachable: sumOf(parts, 'unreachable'),
  mail: parts.find(({ mail }) => mail !== null)?.mail ?? null,
});

/** The mistake in the recipients; false if there is none. `wanted`: those of them who get the assignment. */
export const recipientsFlaw = (recipients: readonly unknown[], wanted: readonly unknown[]): string | false => {
  if (wanted.length > 0) return false;
  return recipients.length === 0
    ? t('Wählen Sie mindestens einen Empfänger aus.', 'Select at least one recipient.')
    : t('Alle haben diese Aufgabe bereits.', 'All of them already have this assignment.');
};
