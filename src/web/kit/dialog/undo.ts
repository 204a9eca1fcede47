/** The input of an action, and the input that undoes it. */
export interface UndoableChange<Input> {
  act: Input;
  /** Absent if the former state can't be restored. */
  undo?: Input;
}

/** An action that can be undone by the same procedure with another input. */
export const undoable = <Input>(call: (input: Input) => Promise<unknown>, { act, undo }: UndoableChange<Input>) => ({
  act: () => call(act),
  undo: undo === undefined ? undefined : () => call(undo),
});
