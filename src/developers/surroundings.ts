import type { Retirement } from '../core/product.ts';
import type { Document } from '../rest/openapi-shared.ts';

/** What the documentation says about this installation. */
export interface Surroundings {
  readonly publicUrl: string;
  /** The announced end of v1. */
  readonly retirement: Retirement | undefined;
  /** As configured: the pauses between attempts, and how long events are kept. */
  readonly retrySeconds: readonly number[];
  readonly attemptsPerEndpoint: number;
  readonly retentionDays: number;
  /** The OpenAPI document of v1, made when it is first needed. */
  readonly document: () => Document;
}
