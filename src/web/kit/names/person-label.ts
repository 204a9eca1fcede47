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

/**
 * Whether the text in the field is searched for. After a choice, the field contains the person's label, which is not
 * searched for.
 */
export const isSearchFor = (typed: string): boolean => typed !== '' && !typed.includes(between);

/** The first letters of the first and the last word of a name, or of the part of an address before its @. */
export const initialsOf = (nameOrEmail: string): string => {
  const letters = nameOrEmail
    .replace(/@.*/su, '')
    .split(/[\s._-]+/u)
    .flatMap((word) => /[\p{L}\p{N}]/u.exec(word) ?? []);
  return [letters[0], letters.slice(1).at(-1)].join('').toLocaleUpperCase();
};

const tints = 6;

/** One of the colours for initials. It is always the same for a person. */
export const tintOf = (email: string): number =>
  Array.from(email).reduce((sum, letter) => (sum + (letter.codePointAt(0) ?? 0)) % tints, 0);
