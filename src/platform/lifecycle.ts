/** Whether the service takes requests: ready once everything it needs is there, never again once it stops. */
export interface Lifecycle {
  readonly state: 'starting' | 'ready' | 'stopping';
  ready(): void;
  stopping(): void;
}

export const makeLifecycle = (): Lifecycle => {
  let state: Lifecycle['state'] = 'starting';
  return {
    get state() {
      return state;
    },
    ready() {
      if (state === 'starting') state = 'ready';
    },
    stopping() {
      state = 'stopping';
    },
  };
};
