import process from 'node:process';
import { installProxy, type ProxyName } from '../../scripts/kit/proxy.ts';

/** Whether the proxy is there or could be installed. If not, `what` is reported as skipped. */
export const hasProxy = async (name: ProxyName, what: string): Promise<boolean> => {
  const missing = await installProxy(name);
  if (missing !== undefined) process.stdout.write(`${missing}: ${what} is SKIPPED for ${name}.\n`);
  return missing === undefined;
};
