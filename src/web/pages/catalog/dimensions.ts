import type { Dimension, RuledDimension } from '../../../modules/catalog/schema.ts';
import { useText } from '../../language/language.tsx';

/** The five dimensions of the catalog, in their order, by their names. */
export const useDimensionNames = (): Readonly<Record<Dimension, string>> => {
  const t = useText();
  return {
    situation: t('Situationen', 'Situations'),
    personality: t('Gegenüber', 'Personalities'),
    industry: t('Branchen', 'Industries'),
    role: t('Rollen', 'Roles'),
    methodology: t('Methodiken', 'Methodologies'),
  };
};

/** Those that the rules of a situation are about. */
export const useRuledNames = (): Readonly<Record<RuledDimension, string>> => {
  const { personality, industry, role } = useDimensionNames();
  return { personality, industry, role };
};
