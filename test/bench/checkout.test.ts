import { expect, it } from 'vitest';
import { ConfigError } from '../../src/core/config-error.ts';
import { checkOut } from '../../scripts/kit/checkout.ts';

it('a commit that does not exist is named before anything is measured', async () => {
  await expect(checkOut('no-such-commit')).rejects.toThrow(new ConfigError('There is no commit no-such-commit.'));
});
