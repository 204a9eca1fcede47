/** A wrong setting or installation, which the operator must correct. Its message is printed without a stack. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
