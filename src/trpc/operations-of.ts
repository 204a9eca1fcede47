import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { OperationMeta } from './operation.ts';

export interface Operation extends OperationMeta {
  /** The procedure's name in the router, such as `members.list`. */
  name: string;
  procedure: AnyProcedure;
}

const isOperationMeta = (meta: unknown): meta is OperationMeta =>
  typeof meta === 'object' && meta !== null && 'operation' in meta && 'openapi' in meta;

/** Every operation of a router, as its rows say it: the one list that adapter, document and test matrices walk. */
export const operationsOf = (router: AnyRouter): Operation[] =>
  Object.entries<AnyProcedure>(router._def.procedures).map(([name, procedure]) => {
    const meta: unknown = procedure._def.meta;
    if (!isOperationMeta(meta)) throw new Error(`${name} was not made with operation(): it has no route`);
    return { name, procedure, ...meta };
  });
