// Which entries of the command palette fit what was typed, best first: letters in order, better at the beginning of words and together.

/** Higher is better; nothing when the letters do not occur in this order. */
export function scoreOf(typed: string, text: string): number | undefined {
  const wanted = typed.toLowerCase().replace(/\s+/g, '');
  const found = text.toLowerCase();
  let score = 0;
  let from = 0;
  let last = -2;
  for (const letter of wanted) {
    const at = found.indexOf(letter, from);
    if (at < 0) return undefined;
    score += at === last + 1 ? 4 : 1;
    if (at === 0 || /[^a-z0-9]/.test(found[at - 1]!)) score += 3;
    last = at;
    from = at + 1;
  }
  return score - found.length / 100;
}

export function ranked<Entry>(typed: string, entries: Entry[], textOf: (entry: Entry) => string, most: number): Entry[] {
  return entries
    .map((entry) => ({ entry, score: scoreOf(typed, textOf(entry)) }))
    .filter((one): one is { entry: Entry; score: number } => one.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map((one) => one.entry);
}
