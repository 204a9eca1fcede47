/** What the operator has to set right. Its message is printed without a stack. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
