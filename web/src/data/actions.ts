// Everything that changes something passes here: it is asked about in one dialog, which shows the command line that does the same, and
// what came of it is said in a notice. A page only describes its action.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export interface Field {
  name: string;
  label: string;
  kind?: 'text' | 'long' | 'json' | 'number' | 'duration' | 'time' | 'choice' | 'check';
  value?: string;
  placeholder?: string;
  help?: string;
  options?: string[];
  required?: boolean;
  /** Of a number; whole ones when absent. */
  step?: 'any';
}

export type Values = Record<string, string>;

export interface Action {
  /** "Cancel 3 jobs" */
  title: string;
  /** The word on the button. */
  verb: string;
  isDangerous?: boolean;
  text?: ComponentChildren;
  fields?: Field[];
  /** A look at what was typed, shown under the fields. */
  preview?: (values: Values) => ComponentChildren;
  command: (values: Values) => string;
  /** What it did, as a notice; `tell` shows how far it is. `goTo`: where to go from a page whose subject is gone by then. */
  run: (values: Values, tell: (progress: string) => void) => Promise<{ text: string; href?: string; goTo?: string }>;
  done?: () => void;
}

export const asked = signal<Action | undefined>(undefined);

export function ask(action: Action): void {
  asked.value = action;
}

/** Asks no more about this action; another that is asked about by now stays. */
export function leave(action: Action): void {
  if (asked.peek() === action) asked.value = undefined;
}
