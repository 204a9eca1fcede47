import type { Socket } from 'node:net';

/** Resolves once the socket is open; destroys it with `late` if that takes longer than `limit` milliseconds. */
export const opened = <Opening extends Socket>(
  socket: Opening,
  event: 'connect' | 'secureConnect',
  limit: number,
  late: () => Error,
): Promise<Opening> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(late()), limit);
    const settle = (then: () => void) => {
      clearTimeout(timer);
      socket.off(event, open).off('error', fail).off('close', close);
      then();
    };
    const open = () => settle(() => resolve(socket));
    const fail = (error: Error) => settle(() => reject(error));
    const close = () => settle(() => reject(new Error('The socket was closed')));
    socket.once(event, open).once('error', fail).once('close', close);
    // Between here and whoever takes the socket over, an error must find somebody who listens.
    socket.on('error', () => {});
  });
