import process from 'node:process';

/** What a process tells its supervisor once it has started. */
export interface Started {
  readonly port: number | undefined;
  readonly metricsPort: number | undefined;
}

/** Without a supervisor nobody is told. */
export const tellSupervisor = (started: Started): void => {
  if (process.connected) process.send?.({ started });
};
