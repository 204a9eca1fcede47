import { t } from '../../language/language.tsx';

/** The categories that the service and common CRMs use. A team can enter others, which are shown as they are. */
const categories: Readonly<Record<string, readonly [german: string, english: string]>> = {
  authority: ['Entscheidungsbefugnis', 'Authority'],
  competition: ['Wettbewerb', 'Competition'],
  complexity: ['Komplexität', 'Complexity'],
  need: ['Bedarf', 'Need'],
  other: ['Sonstiges', 'Other'],
  price: ['Preis', 'Price'],
  process: ['Prozess', 'Process'],
  risk: ['Risiko', 'Risk'],
  timing: ['Zeitpunkt', 'Timing'],
  trust: ['Vertrauen', 'Trust'],
};

/** The name of an objection's category. */
export const categoryName = (category: string): string => {
  const words = Object.hasOwn(categories, category) ? categories[category] : undefined;
  return words ? t(words[0], words[1]) : category;
};
