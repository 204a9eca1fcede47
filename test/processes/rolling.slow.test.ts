import { testRestartsBehind } from './restarts.ts';

// The other proxies are in rolling-behind-others.slow.test.ts, so that CI can always run one of them.
await testRestartsBehind(['nginx']);
