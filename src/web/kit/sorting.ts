import { useFilters } from './filters.tsx';
import { readOrder, writeOrder } from './list-rules.ts';
import type { Order } from './list-rules.ts';

/** The order of a list. It is stored in the URL. */
export interface Sorting {
  order: Order | undefined;
  set: (order: Order | undefined) => void;
  /** Whether all rows are loaded, so that the app can sort them. */
  isWhole: boolean;
  /** The columns by which the server sorts: an index has their order. */
  server: readonly string[];
}

/** The order in the URL. `name` is the name of its parameter, for pages with several lists. */
export const useOrder = (name = 'sort') => {
  const { valueOf, set } = useFilters(name);
  return {
    order: readOrder(valueOf(name)),
    setOrder: (order: Order | undefined) => set(name, order ? writeOrder(order) : null),
  };
};

/** The order of a list that the server does not sort: the app sorts it after all rows were loaded. */
export const useSorting = (isWhole: boolean, name?: string): Sorting => {
  const { order, setOrder } = useOrder(name);
  return { order, set: setOrder, isWhole, server: [] };
};

/** The columns by which a list's procedure sorts. */
export const serverOrder = <Name extends string>(order: Order | undefined, names: readonly Name[]) => {
  const by = names.find((name) => name === order?.by);
  return by === undefined || !order ? {} : { sort: { by, desc: order.desc } };
};
