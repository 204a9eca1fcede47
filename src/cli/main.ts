// npm run -s cli -- <command>: the commands for operators, in a terminal or a script. `--help` lists them.

import process from 'node:process';
import { useCompileCache } from '../run/process.ts';

useCompileCache();

const { runCli } = await import('./program.ts');
process.exitCode = await runCli(process.argv.slice(2), process);
