// npm run -s cli -- <command>: what an operator does from a terminal or a script. `--help` tells everything.

import process from 'node:process';
import { useCompileCache } from './supervisor/process.ts';

useCompileCache();

const { runCli } = await import('./cli/program.ts');
process.exitCode = await runCli(process.argv.slice(2), process);
