/**
 * Progress goes to stderr always: stdout belongs to the command that runs after the installation and may print JSON.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}
