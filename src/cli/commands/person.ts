import type { Command } from '@commander-js/extra-typings';
import { eraseAll, erasePerson } from '../../modules/erasure/service.ts';
import { answering } from '../command.ts';
import { operator } from '../session.ts';
import type { Answer } from '../session.ts';
import { email } from '../values.ts';

export const personCommands = (program: Command, answer: Answer): void => {
  const group = program.command('person').description('what concerns one person in all teams');

  answering(group, 'erase', 'delete an account and all that names its person, in all teams; see docs/export.md')
    .requiredOption('--email <email>', 'whose', email)
    .option('--confirm <email>', 'the address once more: nothing can bring the person back', email)
    .action(({ confirm, ...options }, command) => {
      if (confirm !== options.email) {
        command.error(`error: this can't be undone; repeat the address: --confirm ${options.email}`);
      }
      return answer(options, async ({ platform, report }) => {
        const teams = [];
        for (const key of await erasePerson(platform, operator, options.email)) {
          report(`Erasing from the team ${key.tenantId} …`);
          const { deleted, changed } = await eraseAll(platform, key);
          teams.push({ tenant_id: key.tenantId, rows_deleted: deleted, rows_changed: changed });
        }
        return { erased: true, teams };
      });
    });
};
