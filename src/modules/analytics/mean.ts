/** A sum and how many numbers it is of. */
export interface Sum {
  sum: number;
  count: number;
}

/** A fraction of whole numbers to so many decimals, exactly: half goes away from zero, whatever a double makes of it. */
const rounded = (numerator: bigint, denominator: bigint, decimals: number): number => {
  const scaled = 2n * numerator * 10n ** BigInt(decimals);
  const half = numerator < 0n ? -denominator : denominator;
  return Number((scaled + half) / (2n * denominator)) / 10 ** decimals;
};

/** The mean of whole numbers, or null for none. */
export const meanOf = ({ sum, count }: Sum, decimals: number): number | null =>
  count === 0 ? null : rounded(BigInt(sum), BigInt(count), decimals);

/** By how much one mean lies above another: rounded once, at the end. Null where either is of nothing. */
export const differenceOfMeans = (a: Sum, b: Sum, decimals: number): number | null => {
  if (a.count === 0 || b.count === 0) return null;
  const [aSum, aCount, bSum, bCount] = [BigInt(a.sum), BigInt(a.count), BigInt(b.sum), BigInt(b.count)];
  return rounded(aSum * bCount - bSum * aCount, aCount * bCount, decimals);
};
