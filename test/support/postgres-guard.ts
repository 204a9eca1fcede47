// Started by the test run with a pipe as stdin, which closes when the run ends in whatever way (also SIGKILL).

import { removeServer } from './throw-away-postgres.ts';

process.stdin.resume().once('close', () => {
  void removeServer(process.argv[2] ?? '');
});
