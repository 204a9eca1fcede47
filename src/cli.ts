// npm run -s cli -- <command>: what an operator does from a terminal or a script. `--help` tells everything.

import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Compiling is half of what a command costs. In a folder of the project's own: whoever can write there can run code here.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));

const { runCli } = await import('./cli/program.ts');
process.exitCode = await runCli(process.argv.slice(2));
