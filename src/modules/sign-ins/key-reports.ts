import { networkOf } from '../../core/address.ts';
import { signInLimits } from '../../core/limits.ts';
import { reportKey } from '../keys/reports.ts';
import { hideDuration, spendTry } from './tries.ts';
import type { Visitor } from './visitor.ts';

/** The counter of all reports together. */
export const allKeyReports = { what: 'key reports', whom: 'everybody' } as const;

/**
 * Warns the team of an API key that the visitor has found. For any other text the answer is the same and takes as long,
 * so that nobody learns here whether a key is valid.
 */
export const reportFoundKey = async (visitor: Visitor, text: string): Promise<void> => {
  const { platform, address } = visitor;
  const { database } = platform;
  const onRefused = (first: boolean) => visitor.report('limited', { repeated: !first });
  const fromNetwork = { max: platform.signIn.triesPerMinute, seconds: 60, onRefused };
  await spendTry(database, { what: 'key reports from', whom: networkOf(address), ...fromNetwork });
  // A network beyond its own limit does not use up the limit of all.
  await spendTry(database, { ...allKeyReports, ...signInLimits.keyReports, onRefused });
  await hideDuration(platform, 'always', () => reportKey(platform, text));
};
