import { z } from 'zod';

const registry = z.registry<z.core.GlobalMeta>();

/** The metadata of all schemas without their ids. Zod would write a schema with an id once and refer to it. */
registry.get = (schema) => {
  const { id: _id, ...meta } = z.globalRegistry.get(schema) ?? {};
  return meta;
};

/** The JSON Schema of a schema, without references, because not every reader follows them. */
export const jsonSchemaOf = (schema: z.ZodObject, io: 'input' | 'output' = 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: registry });
