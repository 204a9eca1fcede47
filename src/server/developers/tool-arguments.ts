import { z } from 'zod';
import type { Language } from '../../core/language.ts';
import { table } from './words.ts';

// The arguments of the tools for assistants, taken from the tools' own schemas.

/** The parts of an MCP tool that the documentation's page about tools describes. */
export interface DescribedTool {
  readonly name: string;
  readonly inputSchema: object;
}

const Argument = z.object({
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.unknown().optional(),
});
type Argument = z.output<typeof Argument>;

const InputSchema = z.object({
  properties: z.record(z.string(), Argument),
  required: z.array(z.string()).default([]),
});

const words = {
  tool: { de: 'Werkzeug', en: 'Tool' },
  arguments: { de: 'Argumente', en: 'Arguments' },
  required: { de: 'nötig', en: 'required' },
  default: { de: 'ohne Angabe', en: 'by default' },
  to: { de: 'bis', en: 'to' },
  none: { de: 'keine', en: 'none' },
} as const;

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

const describe = (name: string, argument: Argument, isRequired: boolean, language: Language): string => {
  const { enum: values, minimum, maximum } = argument;
  const said = [
    ...(isRequired ? [words.required[language]] : []),
    ...(values ? [values.map(code).join(', ')] : []),
    ...(minimum !== undefined && maximum !== undefined ? [`${minimum} ${words.to[language]} ${maximum}`] : []),
    ...(argument.default === undefined ? [] : [`${words.default[language]} ${code(argument.default)}`]),
  ];
  return said.length === 0 ? code(name) : `${code(name)} (${said.join('; ')})`;
};

/** A table of all tools with the names of their arguments, and the values that these may have. */
export const toolArguments = (tools: readonly DescribedTool[], language: Language): string =>
  table(
    [words.tool[language], words.arguments[language]],
    tools.map(({ name, inputSchema }) => {
      const { properties, required } = InputSchema.parse(inputSchema);
      const all = Object.entries(properties).map(([argument, schema]) =>
        describe(argument, schema, required.includes(argument), language),
      );
      return [code(name), all.join(', ') || words.none[language]];
    }),
  );
