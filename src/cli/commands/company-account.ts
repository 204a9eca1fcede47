import type { Readable } from 'node:stream';
import { Option, type Command } from '@commander-js/extra-typings';
import { daysToMs, later } from '../../core/clock.ts';
import { english } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { signInDemands } from '../../core/sign-in-demand.ts';
import { toSnake } from '../../core/spelling.ts';
import {
  addDomain,
  companySignInState,
  demandSignIn,
  removeProvider,
  saveProvider,
  switchProvider,
} from '../../modules/company-sign-in/service.ts';
import { answering, answerInTeam, type AnswerCommand } from '../command.ts';
import { readSecret } from '../secret-file.ts';
import { domain, onOff } from '../values.ts';

/** `cli team sso`: how the members of a team sign in with their company account. */
export const companyAccountCommand = (group: Command, answer: AnswerCommand, stdin: Readable): void => {
  answering(group, 'sso', 'set up, change or show how members sign in with their company account (OpenID Connect)')
    .requiredOption('--team <id>', 'which team')
    .option('--issuer <url>', 'the provider’s address; its discovery document is checked')
    .option('--client-id <id>', 'the client id that the provider gave')
    .option('--secret-file <file>', 'the file with the client secret; - reads it from the standard input')
    .addOption(new Option('--role <role>', 'the role of new members').choices(['member', 'admin'] as const))
    .option('--domain <domain>', 'adds a domain, without the check of its DNS record', domain)
    .option('--enabled <on|off>', 'switches the provider on or off', onOff)
    .addOption(new Option('--demand <demand>', 'what the members must sign in with').choices(signInDemands))
    .addOption(
      new Option('--in-days <days>', 'when the demand takes effect')
        .choices(['0', '7', '14'] as const)
        .default('0' as const),
    )
    .option('--untried', 'demand the company account although nobody has tried it')
    .option('--remove', 'deletes the provider and the domains')
    .action((options) =>
      answerInTeam(answer, options, async (team) => {
        const { issuer, clientId, secretFile, role, enabled, demand } = options;
        if (demand === 'company' && options.untried !== true) {
          const detail = 'Nobody may have tried the set-up. Add --untried, or let an admin demand it in the app.';
          fail('validation_error', { field: 'demand', detail: english(detail) });
        }
        if (issuer !== undefined || clientId !== undefined || secretFile !== undefined || role !== undefined) {
          const { provider } = await companySignInState(team);
          await saveProvider(team, {
            issuer: issuer ?? provider?.issuer ?? '',
            clientId: clientId ?? provider?.clientId ?? '',
            role: role ?? provider?.role ?? 'member',
            ...(secretFile !== undefined && {
              clientSecret: await readSecret(secretFile, { stdin, field: 'secret_file' }),
            }),
          });
        }
        if (options.domain !== undefined) await addDomain(team, options.domain, { proven: true });
        if (demand !== undefined)
          await demandSignIn(
            team,
            {
              demand,
              ...(options.inDays !== '0' && {
                from: later(team.platform.clock.now(), daysToMs(Number(options.inDays))),
              }),
            },
            'operator',
          );
        if (enabled !== undefined) await switchProvider(team, enabled);
        if (options.remove) await removeProvider(team);
        return toSnake(await companySignInState(team));
      }),
    );
};
