import { expect, it } from 'vitest';
import { sourceFiles, sourceOf } from '../../scripts/statements/defined.ts';

// A reader who runs a plain PostgreSQL meets nothing of Citus: it is in src/db/cells, and one file chooses it. `npm run
// imports` holds the same for imports.

const behindTheDoor = /^src\/(?:db\/cells\/|run\/database\.ts$)/;

/** There these words have other meanings: the cells of a table or a chart, the nodes of a document. */
const withOtherCells = /^src\/(?:packages|server|cli|modules\/analytics)\//;

/** `node:` is a module of Node, `node src/main.ts` its program, and 'node' a label of metrics. */
const words = /\bcells?\b|\bcell_|(?<![\w'`./])nodes?(?![\w'`./:]| src)/g;

it('nothing outside of src/db/cells and run/database.ts is about cells, shards, nodes or Citus', () => {
  const found = sourceFiles()
    .filter((file) => !behindTheDoor.test(file))
    .flatMap((file) => {
      const source = sourceOf(file);
      const named = [...source.matchAll(/citus|shard/gi), ...(withOtherCells.test(file) ? [] : source.matchAll(words))];
      return named.map(([word]) => `${file}: ${word}`);
    });
  expect(found).toEqual([]);
});
