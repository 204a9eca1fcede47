// A failed `fetch` has no stack of its caller, so a request that a test leaves behind would fail without saying which
// test sent it. This file runs once for each test file, and the files of a worker share the global `fetch`.

const isTraced = Symbol.for('fetch with the stack of its caller');

if (!(isTraced in globalThis.fetch)) {
  const plainFetch = globalThis.fetch;
  const traced: typeof fetch = async (...parameters) => {
    const sent = new Error('sent by');
    try {
      return await plainFetch(...parameters);
    } catch (error) {
      if (error instanceof Error) error.stack += `\n${sent.stack ?? ''}`;
      throw error;
    }
  };
  globalThis.fetch = Object.assign(traced, { [isTraced]: true });
}
