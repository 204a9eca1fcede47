import type { JsonSchema } from '../../conformance/described-api.ts';
import { hostilePatterns, textOfBytes, textOfCharacters, type Pattern } from './patterns.ts';
import { placesOf, withTexts, type Place } from '../../conformance/schema-texts.ts';
import type { Judge, Try } from './tries.ts';

/** A part of a request: how many bytes of input it may have, and how many a text takes there. */
export interface Room {
  readonly bytes: number;
  readonly bytesOf: (text: string) => number;
}

export const inJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** A header has 16 KiB, with its other lines. */
export const headBytes = 14_000;

/** A JSON body, with the input and something around it. */
export const bodyRoom = (bytes: number): Room => ({ bytes: bytes - 1_000, bytesOf: inJson });

/** Something that takes an input with a schema. */
export interface Target {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly valid: unknown;
  readonly unread?: ReadonlySet<number>;
  /** Where a place of the input is sent. */
  readonly roomOf: (place: string) => Room;
  /** Builds a request with an input. */
  readonly prepare: (input: unknown) => () => Promise<number>;
}

/** A text for some places of a target's input. */
interface Plan {
  readonly target: Target;
  readonly place: string;
  readonly pattern: Pattern;
  readonly textAt: (place: Place) => string | undefined;
}

type Planned = Try & { readonly plan: Plan };
type Slow = Map<Planned, number>;

/** The first texts have at most so many bytes: what is quadratic takes too long with them, but not for ever. */
export const firstBytes = 14_000;
/** Most fields allow so many characters, also those whose schema names no limit. */
const someCharacters = 100;

export const inParts = function* <Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
};

/** A text of each pattern for one place, with at most so many bytes, and at most so many characters. */
const alone = (target: Target, place: Place, bytes: number, characters = Number.POSITIVE_INFINITY): Plan[] => {
  const room = target.roomOf(place.name);
  return hostilePatterns.map((pattern) => {
    const long = textOfBytes(pattern, Math.min(bytes, room.bytes), room.bytesOf);
    const text = long.length > characters ? textOfCharacters(pattern, characters) : long;
    return { target, place: place.name, pattern, textAt: ({ name }) => (name === place.name ? text : undefined) };
  });
};

/** A text of each pattern for several places of a room at once. */
const together = (target: Target, places: readonly Place[], max: number): Plan[] => {
  const [first] = places;
  if (!first) return [];
  const names = new Set(places.map(({ name }) => name));
  const { bytes, bytesOf } = target.roomOf(first.name);
  return hostilePatterns.map((pattern) => {
    const text = textOfBytes(pattern, Math.min(max, bytes / places.length), bytesOf);
    return { target, place: 'all texts', pattern, textAt: ({ name }) => (names.has(name) ? text : undefined) };
  });
};

/** Only compared or looked up, or checked by its signature. */
const isOpaque = ({ name, isListed }: Place): boolean => isListed || /(^|[_.])ids?(\[\])?$|cursor$/.test(name);

/** A text of each pattern in all free texts at once, each as long as its place allows: what is read after the schema. */
const asAllowed = (target: Target): Plan[] => {
  const places = placesOf(target.schema).filter((place) => place.isFree && !isOpaque(place));
  if (places.length === 0) return [];
  const names = new Set(places.map(({ name }) => name));
  return hostilePatterns.map((pattern) => {
    const textAt = ({ name, max }: Place) => {
      const { bytes, bytesOf } = target.roomOf(name);
      const text = textOfBytes(pattern, Math.min(firstBytes, bytes / places.length), bytesOf);
      const characters = max ?? someCharacters;
      return text.length > characters ? textOfCharacters(pattern, characters) : text;
    };
    return {
      target,
      place: 'free texts',
      pattern,
      textAt: (place) => (names.has(place.name) ? textAt(place) : undefined),
    };
  });
};

/** Texts at one place, alone: as long as it allows, and longer ones unless these are sent together with others. */
const ofPlace = (target: Target, place: Place): Plan[] => {
  if (isOpaque(place)) return [];
  const isInHead = target.roomOf(place.name).bytes === headBytes;
  return [
    ...alone(target, place, firstBytes, place.max ?? someCharacters),
    ...(place.max === undefined || isInHead ? alone(target, place, firstBytes) : []),
  ];
};

interface Way {
  /** How many requests are made before budgets are filled up again, and how many at once. */
  readonly size?: number;
  readonly atOnce?: number;
  /**
   * The places where texts are tried alone, the same place once; by default all that have rules of their own. Everywhere
   * texts are tried together.
   */
  readonly single?: (place: Place) => boolean;
}

/** Tries hostile texts in all inputs of the targets. */
export const sweepInputs = async (
  judge: Judge,
  targets: readonly Target[],
  { size = 88, atOnce, single = () => true }: Way = {},
): Promise<void> => {
  const slowPlaces = new Set<string>();
  const fastPlaces = ({ name, schema }: Target) =>
    placesOf(schema).filter((place) => !slowPlaces.has(`${name} ${place.name}`));

  const slowAmong = async (plans: readonly Plan[]): Promise<Slow> => {
    const slow: Slow = new Map();
    for (const part of inParts(plans, size)) {
      const tries = part.map((plan): Planned => {
        const { target, place, pattern, textAt } = plan;
        const { name: what, schema, valid, unread = new Set() } = target;
        const send = target.prepare(withTexts(schema, valid, textAt));
        return { what, place, pattern: pattern.name, unread, send, plan };
      });
      for (const [one, ms] of await judge.slowOf(tries, atOnce)) slow.set(one, ms);
    }
    return slow;
  };

  /** If texts at several places are slow, each place is tried alone. */
  const slowAmongTogether = async (plans: readonly Plan[], bytes: number): Promise<Slow> => {
    const slow: Slow = new Map();
    for (const [one, ms] of await slowAmong(plans)) {
      const { target, pattern } = one.plan;
      const single = fastPlaces(target).flatMap((place) => alone(target, place, bytes));
      const found = await slowAmong(single.filter((plan) => plan.pattern === pattern));
      if (found.size === 0) slow.set(one, ms);
      for (const [its, itsMs] of found) slow.set(its, itsMs);
    }
    return slow;
  };

  const note = (slow: Slow): void => {
    judge.note(slow);
    for (const { what, place } of slow.keys()) slowPlaces.add(`${what} ${place}`);
  };

  const tried = new Set<string>();
  const isNew = ({ name, max }: Place): boolean => tried.size < tried.add(`${name} ${max}`).size;
  note(
    await slowAmong(
      targets.flatMap((target) =>
        placesOf(target.schema)
          .filter((place) => single(place) && isNew(place))
          .flatMap((place) => ofPlace(target, place)),
      ),
    ),
  );
  note(await slowAmongTogether(targets.flatMap(asAllowed), firstBytes));
  for (const bytes of [firstBytes, Number.POSITIVE_INFINITY]) {
    const plans = targets.flatMap((target) =>
      [...Map.groupBy(fastPlaces(target), ({ name }) => target.roomOf(name))].flatMap(([room, places]) =>
        bytes === firstBytes || room.bytes > firstBytes * places.length ? together(target, places, bytes) : [],
      ),
    );
    note(await slowAmongTogether(plans, bytes));
  }
};
