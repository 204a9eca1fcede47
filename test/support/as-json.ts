import { stringify } from '../../src/core/raw-json.ts';
import type { AsJson } from '../../src/core/raw-json.ts';

/** An answer as whoever reads its JSON has it. */
export const asJson = <Value>(value: Value): AsJson<Value> => JSON.parse(stringify(value));
