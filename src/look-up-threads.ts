import process from 'node:process';

// The system's resolver keeps a thread for each name that it looks up, and Node has four, which silent name servers would
// soon hold all. Node reads the number when the first thread is used: whoever needs more imports this before all else.
process.env['UV_THREADPOOL_SIZE'] ??= '64';
