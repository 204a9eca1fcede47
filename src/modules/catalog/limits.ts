/** How much a team may add to the catalog: every read of the catalog reads all of it. */
export const catalogLimits = {
  ownItems: 1_000,
  ownRules: 2_000,
} as const;
