import type { z } from 'zod';
import { jsonSchemaOf } from '../../core/json-schema.ts';
import type { Texts } from '../../core/language.ts';
import { flawsOf } from '../../core/flaws.ts';
import { fail } from '../../core/problem.ts';
import type { Scope } from '../../core/scopes.ts';
import { publicRouter } from '../../modules/public-router.ts';
import { needsOf, operationsOf } from '../../platform/trpc/procedures.ts';
import type { ToolCall } from './caller.ts';

// A tool is a task of a coach. It runs operations of the public API, so it has no rights or rules of its own.

interface ToolDeclaration<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The title for people. */
  title: Texts;
  /** The description for the assistant: the tool's purpose, and the tools to call before or after it. */
  description: string;
  /**
   * The operations that the tool needs, by their names in the public router. Where the value of a parameter decides
   * about the needs, it follows the name: `trainings.list+evaluation`.
   */
  uses: readonly string[];
  /** Absent: the tool only reads. */
  changes?: 'adds';
  input: Input;
  output: Output;
  run: (call: ToolCall, input: z.output<Input>) => Promise<z.input<Output>>;
  /** The answer in one or two sentences. */
  summary: (answer: z.output<Output>) => Texts;
}

/** A tool, ready to be listed and called. */
export interface Tool {
  readonly name: string;
  readonly title: Texts;
  readonly description: string;
  /** The scopes that a caller needs. Derived from the operations. */
  readonly scopes: readonly Scope[];
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema: JsonObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** Runs the tool with its arguments, which are not checked yet. */
  readonly call: (call: ToolCall, given: unknown) => Promise<Record<string, unknown>>;
  /** An answer in one or two sentences. */
  readonly summaryOf: (answer: unknown) => Texts;
}

export interface JsonObjectSchema {
  readonly type: 'object';
  readonly [key: string]: unknown;
}

const operations = new Map(operationsOf(publicRouter).map(({ name, operation }) => [name, operation]));

const scopesOf = (names: readonly string[]): Scope[] => {
  const needed = names.flatMap((used) => {
    const [name = '', value] = used.split('+');
    const operation = operations.get(name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    if (value !== undefined && !operation.needsBy?.needs[value]) throw new Error(`no value of ${name} is ${value}`);
    return needsOf(operation, value).scopes;
  });
  return [...new Set(needed)];
};

const objectSchemaOf = (schema: z.ZodObject, io: 'input' | 'output'): JsonObjectSchema => {
  const { properties = {}, required } = jsonSchemaOf(schema, io);
  return {
    type: 'object',
    properties,
    ...(required && { required }),
    // New fields may be added to answers at any time.
    ...(io === 'input' && { additionalProperties: false }),
  };
};

export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  name: string,
  { title, description, uses, changes, input, output, run, summary }: ToolDeclaration<Input, Output>,
): Tool => ({
  name,
  title,
  description,
  scopes: scopesOf(uses),
  inputSchema: objectSchemaOf(input, 'input'),
  outputSchema: objectSchemaOf(output, 'output'),
  annotations: {
    readOnlyHint: changes === undefined,
    destructiveHint: false,
    idempotentHint: changes === undefined,
    openWorldHint: false,
  },
  async call(call, given) {
    const read = input.safeParse(given);
    if (!read.success) fail('validation_error', { errors: flawsOf(read.error) });
    return output.parse(await run(call, read.data));
  },
  summaryOf: (answer) => summary(output.parse(answer)),
});
