import process from 'node:process';

// The system's resolver keeps a thread for each name that it looks up, and Node has four, of which it gives look-ups two: silent name
// servers would soon hold both. Node reads the number when the first thread is used: a program imports this before all else.
process.env['UV_THREADPOOL_SIZE'] ??= '64';

/** How many names the system's resolver can look up at once. */
export const lookUpThreads = (Number(process.env['UV_THREADPOOL_SIZE']) || 4) / 2;
