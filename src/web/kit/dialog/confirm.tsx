import { createContext, lazy, useContext, useState, type ReactNode } from 'react';
import { Late } from '../page/late.tsx';

export interface Question {
  title: string;
  /** The effects of the action, especially those that can’t be undone: a text, or a list. */
  consequences?: ReactNode;
  points?: readonly (string | undefined)[];
  /** The name of the object that the consequences concern, if they are a list. */
  of?: string;
  /** The text of the button that confirms. */
  action: string;
  /** For an action that can't be undone: the name or number that the person has to type. */
  typed?: string;
  /** A second question before the action, if it concerns many things. */
  again?: string | undefined;
  /** Whether the action can be undone. Then its button is not red. */
  harmless?: boolean;
  /** The action. Afterwards all shown data is loaded again, unless `endsSession` is set. */
  act: () => Promise<unknown>;
  endsSession?: boolean;
  /** The message after the action has succeeded. */
  done?: string;
  /** Undoes the action; offered beside `done`. */
  undo?: (() => Promise<unknown>) | undefined;
}

const AskContext = createContext<(question: Question) => void>(() => undefined);

/** Asks for confirmation before an action. If the action fails, the dialog stays open and shows the error. */
export const useConfirm = () => useContext(AskContext);

/** The question, and the element that had the focus when it was asked. */
export interface AskedQuestion {
  question: Question;
  focused: Element | null;
}

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx'));

export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const [asked, setAsked] = useState<AskedQuestion>();
  const ask = (question: Question) => setAsked({ question, focused: document.activeElement });
  return (
    <AskContext value={ask}>
      {children}
      {asked && (
        <Late>
          <ConfirmDialog asked={asked} />
        </Late>
      )}
    </AskContext>
  );
};
