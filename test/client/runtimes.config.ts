import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

// npm run client:runtimes: tests that download the required runtimes, some 350 MB.
export default defineConfig({ test: { ...base.test, include: ['test/client/runtimes.ts'] } });
