import process from 'node:process';

// The system's resolver occupies a thread for each look-up. Node has four threads and lets look-ups use two, which silent name servers
// would soon occupy. Node reads the number when the first thread is used, so a program must import this file before all others.
process.env['UV_THREADPOOL_SIZE'] ??= '64';

/** How many names the system's resolver can look up at once. */
export const lookUpThreads = (Number(process.env['UV_THREADPOOL_SIZE']) || 4) / 2;
