import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { english } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { toSnake } from '../../core/spelling.ts';
import {
  exportGlobalCatalog,
  exportTeamCatalog,
  importGlobalCatalog,
  importTeamCatalog,
  readDocument,
} from '../../modules/catalog/document.ts';
import { actIn } from '../../platform/team-row.ts';
import { answering, operator, type AnswerCommand } from '../command.ts';

const readBytes = async (file: string): Promise<Buffer> => {
  try {
    return await readFile(file);
  } catch (error) {
    const detail = english(error instanceof Error ? error.message : String(error));
    return fail('validation_error', { field: 'file', detail });
  }
};

export const catalogCommands = (program: Command, answer: AnswerCommand): void => {
  const group = program.command('catalog').description('import and export the catalog; see docs/catalog.md');

  answering(group, 'import <file>', 'import the catalog from a JSON file; items that the file does not contain stay')
    .option('--team <id>', 'the team’s own items and rules instead of the platform’s')
    .action(async (file, options) => {
      // The file is checked first, because this needs no database.
      const document = readDocument(await readBytes(file));
      const { team } = options;
      await answer(options, async ({ platform }) =>
        toSnake(
          team === undefined
            ? await importGlobalCatalog(platform, document)
            : await importTeamCatalog(await actIn(platform, operator, team), document),
        ),
      );
    });

  answering(group, 'export', 'print the catalog as a file that can be imported')
    .option('--team <id>', 'the team’s own items and rules instead of the platform’s')
    .action((options) => {
      const { team } = options;
      return answer(
        options,
        async ({ platform }) =>
          team === undefined ? exportGlobalCatalog(platform) : exportTeamCatalog(await actIn(platform, operator, team)),
        (document) => JSON.stringify(document, null, 2),
      );
    });
};
