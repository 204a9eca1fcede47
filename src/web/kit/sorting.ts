import { useFilters } from './filters.tsx';
import { readOrder, writeOrder } from './list-rules.ts';
import type { Order } from './list-rules.ts';

/** The order of a list. It is stored in the URL. */
export interface Sorting {
  order: Order | undefined;
  set: (order: Order | undefined) => void;
}

export const useOrder = (): Sorting => {
  const { valueOf, set } = useFilters('sort');
  return {
    order: readOrder(valueOf('sort')),
    set: (order) => set('sort', order ? writeOrder(order) : null),
  };
};

/** The order for a list's procedure, if it is by one of the columns by which the server sorts. */
export const useServerOrder = <Name extends string>(names: readonly Name[]) => {
  const { order } = useOrder();
  const by = names.find((name) => name === order?.by);
  return by === undefined || !order ? {} : { sort: { by, desc: order.desc } };
};
