/** Whether a text is one of the keys that something has a name for. */
export const isAmong = <Key extends string>(names: Readonly<Record<Key, string>>, text: string): text is Key =>
  Object.hasOwn(names, text);
