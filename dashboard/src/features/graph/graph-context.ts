import { createContext, useContext } from 'react';
import type { GraphProps } from './graph-props.js';

/** What nodes show and do, beside where they are: a step changes this, and the layout stays. */
export type GraphContextValue = Pick<GraphProps, 'roles' | 'lit' | 'selected' | 'onSelect'> & {
  /** The node with this index has the focus; by keyboard it may be out of view. */
  onFocus: (index: number) => void;
  /** Moves the focus to another node, which may be out of view. */
  moveFocus: (index: number) => void;
  /** Whether a node that was just drawn is the one the focus was moved to; true once. */
  takesFocus: (index: number) => boolean;
};

export const GraphContext = createContext<GraphContextValue | null>(null);

export function useGraph(): GraphContextValue {
  const value = useContext(GraphContext);
  if (value === null) throw new Error('A node is drawn outside of a graph.');
  return value;
}
