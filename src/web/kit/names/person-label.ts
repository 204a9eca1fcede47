import type { TeamMember } from '../../../modules/members/schema.ts';
import { t } from '../../language/texts.ts';

export type Person = Pick<TeamMember, 'id' | 'user_id' | 'name' | 'email'> & {
  status: TeamMember['status'] | 'former';
};

const between = ' · ';

/** A person in a list to choose from. */
export const personLabel = ({ name, email, status: is }: Pick<Person, 'name' | 'email' | 'status'>): string => {
  const label = name === null ? email : `${name}${between}${email}`;
  if (is === 'former') return `${label} (${t('ausgeschieden', 'left')})`;
  return is === 'invited' ? `${label} (${t('eingeladen', 'invited')})` : label;
};

/** Whether a text is searched for. After a choice, the field holds the person's label, which is not. */
export const isSearchFor = (typed: string): boolean => typed !== '' && !typed.includes(between);
