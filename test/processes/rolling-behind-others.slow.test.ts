import { proxyNames } from '../../scripts/kit/proxy.ts';
import { testRestartsBehind } from './restarts.ts';

await testRestartsBehind(proxyNames.filter((name) => name !== 'nginx'));
