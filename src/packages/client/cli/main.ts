#!/usr/bin/env node
import { listenCommand } from './listen.ts';
import { UsageError } from './options.ts';
import { renewCommand } from './renew.ts';
import { verifyCommand } from './verify.ts';

declare const clientVersion: string;

const commands = { listen: listenCommand, verify: verifyCommand, renew: renewCommand };

const help = `team-customer-api-client ${clientVersion}: webhooks of the Team Customer API on your machine

Usage: npx team-customer-api-client <command> [options]

Commands:
  listen    Receives webhooks, or reads events with a key, verifies and prints them
  verify    Says whether a request that you saved is genuine, or why not
  renew     Replaces the signing secret of an endpoint, step by step

Options:
  --help, --version    Each command has --help too`;

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name);

/** Runs a command; the result is the exit code: 0 for success, 1 for a failure, 2 for wrong usage. */
const main = async ([name = '--help', ...args]: string[]): Promise<number> => {
  if (name === '--help' || name === '-h' || name === 'help') {
    console.log(help);
    return 0;
  }
  if (name === '--version') {
    console.log(clientVersion);
    return 0;
  }
  if (!isCommand(name)) {
    console.error(`There is no command ${name}.\n\n${help}`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    console.log(commands[name].help);
    return 0;
  }
  try {
    return await commands[name].run(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nSee: npx team-customer-api-client ${name} --help`);
    return 2;
  }
};

process.exitCode = await main(process.argv.slice(2));
