// team-customer-api sandbox …: the command that customers start for their tests. `--help` lists all options.

import process from 'node:process';
import { useCompileCache } from '../../run/process.ts';

useCompileCache();

const { runCli } = await import('../../cli/program.ts');
const { sandboxProgram } = await import('./program.ts');
const code = await runCli(process.argv.slice(2), process, sandboxProgram);
// A failed start leaves handlers that would keep the process alive; after a successful one it must continue.
if (code !== 0) process.exit(code);
