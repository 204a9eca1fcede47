// Closes the cells of the database of its argument for a migration that never ends, until it is killed.

import { withoutCells } from '../../src/db/cells/make-cells.ts';

setInterval(() => {}, 60_000);
await withoutCells(
  process.argv[2] ?? '',
  () => {},
  () => new Promise(() => {}),
);
