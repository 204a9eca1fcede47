import type { Dimension } from '../../modules/catalog/schema.ts';
import { choicesOf, listItems, setTeamPolicy } from '../../modules/catalog/service.ts';
import type { Cast } from './cast.ts';

/** A combination for a training or an assignment. */
export interface Practice {
  situationId: string;
  personalityId: string;
  industryId: string;
  roleId: string;
}

export interface Repertoire {
  /** A random permitted combination. With the key of a permitted situation, the combination has this situation. */
  next: (situation?: string) => Practice;
  /** The id of an item of the starter catalog, by its key. */
  idOf: (dimension: Dimension, key: string) => string;
  methodologies: readonly string[];
  blockedSituation: string;
}

/** The demo needs the starter catalog. */
const emptyCatalog = (): never => {
  throw new Error('the starter catalog offers too little for a demo');
};

const atLeastOne = <T>([first, ...others]: readonly T[]): [T, ...T[]] =>
  first === undefined ? emptyCatalog() : [first, ...others];

/** Blocks one situation for the team, and finds the combinations for the others. */
export const settleRepertoire = async ({ team, language, chance, people }: Cast): Promise<Repertoire> => {
  const [owner] = atLeastOne(people);
  const blockedSituation = (await choicesOf(team, owner.memberId, language)).situation.at(-1)?.id ?? emptyCatalog();
  await setTeamPolicy(team, { block: [blockedSituation], release: [] });

  const { situation, personality, industry, role, methodology, rules } = await choicesOf(
    team,
    owner.memberId,
    language,
  );
  const partners = (situationId: string, dimension: string, entries: readonly { id: string }[]): string[] => {
    const rule = rules.find((candidate) => candidate.situationId === situationId && candidate.dimension === dimension);
    return entries
      .map(({ id }) => id)
      .filter((id) => rule === undefined || ((rule.only?.includes(id) ?? true) && !rule.never.includes(id)));
  };
  const repertoire = atLeastOne(
    situation.map(({ id }) => ({
      id,
      personalities: atLeastOne(partners(id, 'personality', personality)),
      industries: atLeastOne(partners(id, 'industry', industry)),
      roles: atLeastOne(partners(id, 'role', role)),
    })),
  );
  const items = await listItems(team);
  const idOf = (dimension: Dimension, key: string): string =>
    items.find((item) => item.dimension === dimension && item.key === key)?.id ?? emptyCatalog();
  return {
    idOf,
    next(situationKey) {
      const wanted = situationKey === undefined ? undefined : idOf('situation', situationKey);
      const { id, personalities, industries, roles } =
        repertoire.find((one) => one.id === wanted) ?? chance.pick(repertoire);
      return {
        situationId: id,
        personalityId: chance.pick(personalities),
        industryId: chance.pick(industries),
        roleId: chance.pick(roles),
      };
    },
    methodologies: methodology.map(({ id }) => id),
    blockedSituation,
  };
};
