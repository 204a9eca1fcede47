/** The inputs of an action and of what takes it back. */
export interface Change<Input> {
  act: Input;
  /** Absent if nothing leads to the state before. */
  undo?: Input;
}

/** An action that can be taken back, by the same procedure with another input. */
export const undoable = <Input>(call: (input: Input) => Promise<unknown>, { act, undo }: Change<Input>) => ({
  act: () => call(act),
  undo: undo === undefined ? undefined : () => call(undo),
});
