// Keys that come in pairs (`g j`): the first opens a short time in which the second counts. Pure over `now`.

export const CHORD_MS = 1500;

export interface Chord {
  first?: string;
  at: number;
}

export const NO_CHORD: Chord = { at: 0 };

/** What the key completes ("g j", "?"), and what is remembered for the next one. */
export function pressed(chord: Chord, key: string, now: number): { keys: string; next: Chord } {
  if (chord.first !== undefined && now - chord.at <= CHORD_MS) return { keys: `${chord.first} ${key}`, next: NO_CHORD };
  return key === 'g' ? { keys: '', next: { first: 'g', at: now } } : { keys: key, next: NO_CHORD };
}
