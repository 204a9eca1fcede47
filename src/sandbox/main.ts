// team-customer-api sandbox …: what the packed service starts for a customer's tests. `--help` tells everything.

import process from 'node:process';
import { useCompileCache } from '../supervisor/process.ts';

useCompileCache();

const { runCli } = await import('../cli/program.ts');
const { sandboxProgram } = await import('./program.ts');
const code = await runCli(process.argv.slice(2), process, sandboxProgram);
// A start that failed leaves handlers that would keep the process; one that succeeded goes on.
if (code !== 0) process.exit(code);
